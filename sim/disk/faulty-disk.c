/*
 * A disk that misbehaves, for tests: preloaded into a process, it stands between the process and the files of one directory.
 *
 * FAULTY_DISK_DIRECTORY  the directory, an absolute path; only itself, as `.`, and files right in it are concerned
 * FAULTY_DISK_CONTROL    a file of rules, one a line: OPERATION ACTION [NAME-ENDING|*] [TIMES]
 *                          operations: sync, write, read, remove; actions: EIO, ENOSPC, half (writes half, then ENOSPC), hang
 * FAULTY_DISK_DURABLE    a directory on the same file system: what a power cut leaves. `names` has the names as of the last
 *                        sync of the directory, `content-INODE` the bytes of a file as of its last sync.
 *
 * What was never synced is lost, all of it: the worst that a disk may do.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

static const char *directory, *control, *durable;
static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;

static int (*real_fsync)(int);
static int (*real_fdatasync)(int);
static ssize_t (*real_write)(int, const void *, size_t);
static ssize_t (*real_writev)(int, const struct iovec *, int);
static ssize_t (*real_pwrite)(int, const void *, size_t, off64_t);
static ssize_t (*real_pread)(int, void *, size_t, off64_t);
static int (*real_unlink)(const char *);
static int (*real_rename)(const char *, const char *);

#define RULES_MAX 16
static struct rule {
  char operation[16], action[16], ending[64];
  int left;
} rules[RULES_MAX];
static int rule_count;
static struct stat rules_seen;

/* The name of a file right in the directory, `.` for the directory itself, or null. */
static const char *name_of(const char *path) {
  size_t length = strlen(directory);
  if (strcmp(path, directory) == 0) return ".";
  if (strncmp(path, directory, length) != 0 || path[length] != '/') return NULL;
  const char *name = path + length + 1;
  return strchr(name, '/') == NULL ? name : NULL;
}

static const char *path_of(int fd, char *path) {
  char link[64];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(link, path, PATH_MAX - 1);
  if (length < 0) return NULL;
  path[length] = 0;
  char *deleted = strstr(path, " (deleted)");
  if (deleted != NULL) *deleted = 0;
  return path;
}

static void read_rules(void) {
  struct stat found;
  if (stat(control, &found) != 0) {
    rule_count = 0;
    return;
  }
  if (found.st_ino == rules_seen.st_ino && found.st_mtim.tv_nsec == rules_seen.st_mtim.tv_nsec &&
      found.st_mtim.tv_sec == rules_seen.st_mtim.tv_sec)
    return;
  rules_seen = found;
  rule_count = 0;
  FILE *file = fopen(control, "r");
  if (file == NULL) return;
  char line[256];
  while (rule_count < RULES_MAX && fgets(line, sizeof line, file) != NULL) {
    struct rule *rule = &rules[rule_count];
    strcpy(rule->ending, "*");
    rule->left = INT_MAX;
    if (sscanf(line, "%15s %15s %63s %d", rule->operation, rule->action, rule->ending, &rule->left) >= 2) rule_count++;
  }
  fclose(file);
}

static int ends_with(const char *name, const char *ending) {
  size_t length = strlen(name), tail = strlen(ending);
  return strcmp(ending, "*") == 0 || (length >= tail && strcmp(name + length - tail, ending) == 0);
}

/* The action for an operation on a file; empty where it is left alone. A hang ends with its rule. */
static void action_for(const char *operation, const char *name, char *action) {
  for (;;) {
    action[0] = 0;
    pthread_mutex_lock(&turn);
    read_rules();
    for (int at = 0; at < rule_count; at++) {
      struct rule *rule = &rules[at];
      if (rule->left <= 0 || strcmp(rule->operation, operation) != 0 || !ends_with(name, rule->ending)) continue;
      strcpy(action, rule->action);
      if (strcmp(action, "hang") != 0) rule->left--;
      break;
    }
    pthread_mutex_unlock(&turn);
    if (strcmp(action, "hang") != 0) return;
    usleep(5000);
  }
}

static int failed(const char *action) {
  if (strcmp(action, "EIO") == 0) errno = EIO;
  else if (strcmp(action, "ENOSPC") == 0 || strcmp(action, "half") == 0) errno = ENOSPC;
  else return 0;
  return 1;
}

/* Fails as a rule says. `path` is null for what is no file of ours. */
static int fails(const char *operation, const char *path) {
  const char *name = path == NULL || directory == NULL ? NULL : name_of(path);
  char action[16];
  if (name == NULL) return 0;
  action_for(operation, name, action);
  return failed(action);
}

static int fails_at(const char *operation, int fd) {
  char path[PATH_MAX];
  return directory != NULL && fails(operation, path_of(fd, path));
}

static void keep_content(int fd, ino_t inode) {
  char draft[PATH_MAX + 8], path[PATH_MAX], buffer[65536];
  snprintf(path, sizeof path, "%s/content-%lu", durable, (unsigned long)inode);
  snprintf(draft, sizeof draft, "%s.part", path);
  int to = open(draft, O_WRONLY | O_CREAT | O_TRUNC, 0600), from = fd;
  char link[64];
  /* Not by another handle where this one can be read: closing it would drop the locks on the file. */
  if (real_pread(fd, buffer, 0, 0) < 0 || (fcntl(fd, F_GETFL) & O_ACCMODE) == O_WRONLY) {
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    from = open(link, O_RDONLY);
  }
  off64_t at = 0;
  for (ssize_t got; (got = real_pread(from, buffer, sizeof buffer, at)) > 0; at += got)
    if (real_write(to, buffer, got) != got) abort();
  if (from != fd) close(from);
  close(to);
  real_rename(draft, path);
}

static void keep_names(void) {
  char draft[PATH_MAX + 8], path[PATH_MAX];
  snprintf(path, sizeof path, "%s/names", durable);
  snprintf(draft, sizeof draft, "%s.part", path);
  FILE *file = fopen(draft, "w");
  DIR *entries = opendir(directory);
  for (struct dirent *entry; entries != NULL && (entry = readdir(entries)) != NULL;)
    if (entry->d_type == DT_REG) fprintf(file, "%lu %s\n", (unsigned long)entry->d_ino, entry->d_name);
  if (entries != NULL) closedir(entries);
  fclose(file);
  real_rename(draft, path);
}

static void keep(int fd) {
  char path[PATH_MAX];
  struct stat found;
  if (path_of(fd, path) == NULL || fstat(fd, &found) != 0) return;
  pthread_mutex_lock(&turn);
  if (S_ISDIR(found.st_mode) && strcmp(path, directory) == 0) keep_names();
  if (S_ISREG(found.st_mode) && name_of(path) != NULL) keep_content(fd, found.st_ino);
  pthread_mutex_unlock(&turn);
}

/* A file that may come back keeps its number: that of one that is gone for good would be used again. */
static void pin(const char *path) {
  struct stat found;
  char to[PATH_MAX];
  if (directory == NULL || name_of(path) == NULL || stat(path, &found) != 0) return;
  snprintf(to, sizeof to, "%s/pin-%lu", durable, (unsigned long)found.st_ino);
  if (link(path, to) != 0 && errno != EEXIST) abort();
}

__attribute__((constructor)) static void begin(void) {
  real_fsync = dlsym(RTLD_NEXT, "fsync");
  real_fdatasync = dlsym(RTLD_NEXT, "fdatasync");
  real_write = dlsym(RTLD_NEXT, "write");
  real_writev = dlsym(RTLD_NEXT, "writev");
  real_pwrite = dlsym(RTLD_NEXT, "pwrite64");
  real_pread = dlsym(RTLD_NEXT, "pread64");
  real_unlink = dlsym(RTLD_NEXT, "unlink");
  real_rename = dlsym(RTLD_NEXT, "rename");
  control = getenv("FAULTY_DISK_CONTROL");
  durable = getenv("FAULTY_DISK_DURABLE");
  directory = control == NULL || durable == NULL ? NULL : getenv("FAULTY_DISK_DIRECTORY");
}

static int sync_of(int fd, int (*real)(int)) {
  if (directory == NULL) return real(fd);
  if (fails_at("sync", fd)) return -1;
  int result = real(fd);
  if (result == 0) keep(fd);
  return result;
}

int fsync(int fd) { return sync_of(fd, real_fsync); }
int fdatasync(int fd) { return sync_of(fd, real_fdatasync); }

ssize_t pwrite64(int fd, const void *bytes, size_t count, off64_t at) {
  char path[PATH_MAX], action[16] = "";
  const char *name = directory == NULL || path_of(fd, path) == NULL ? NULL : name_of(path);
  if (name != NULL) action_for("write", name, action);
  if (strcmp(action, "half") == 0) real_pwrite(fd, bytes, count / 2, at);
  return failed(action) ? -1 : real_pwrite(fd, bytes, count, at);
}
ssize_t pwrite(int fd, const void *bytes, size_t count, off_t at) { return pwrite64(fd, bytes, count, at); }

ssize_t write(int fd, const void *bytes, size_t count) {
  return fails_at("write", fd) ? -1 : real_write(fd, bytes, count);
}

ssize_t writev(int fd, const struct iovec *parts, int count) {
  return fails_at("write", fd) ? -1 : real_writev(fd, parts, count);
}

ssize_t pread64(int fd, void *bytes, size_t count, off64_t at) {
  return fails_at("read", fd) ? -1 : real_pread(fd, bytes, count, at);
}
ssize_t pread(int fd, void *bytes, size_t count, off_t at) { return pread64(fd, bytes, count, at); }

int unlink(const char *path) {
  if (fails("remove", path)) return -1;
  pin(path);
  return real_unlink(path);
}

int rename(const char *from, const char *to) {
  if (fails("remove", from)) return -1;
  pin(to);
  return real_rename(from, to);
}
