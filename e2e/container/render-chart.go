// Renders a Helm chart as `helm template` does, with what Helm itself is made of: Go's text/template and Sprig.
//
//	GO111MODULE=off GOPATH=/usr/share/gocode go run render-chart.go [--library DIR]... [--values FILE]... [--set a.b=text]... NAME CHART
//
// Needs Debian's golang-go, golang-github-masterminds-sprig-dev and golang-github-ghodss-yaml-dev. Not here: subcharts other than
// libraries, hooks, `lookup` in a cluster (empty, as in `helm template`), files of the chart, lists in --set.
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strconv"
	"strings"
	"text/template"

	"github.com/Masterminds/sprig"
	"github.com/ghodss/yaml"
)

type values = map[string]interface{}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "render:", err)
		os.Exit(1)
	}
}

func readYaml(path string) values {
	text, err := os.ReadFile(path)
	check(err)
	var found values
	if err := yaml.Unmarshal(text, &found); err != nil {
		check(fmt.Errorf("%s: %w", path, err))
	}
	if found == nil {
		found = values{}
	}
	return found
}

// merge lets later values win; null takes a key away.
func merge(into, from values) values {
	for key, value := range from {
		inner, isMap := value.(values)
		present, wasMap := into[key].(values)
		switch {
		case value == nil:
			delete(into, key)
		case isMap && wasMap:
			into[key] = merge(present, inner)
		default:
			into[key] = value
		}
	}
	return into
}

func set(into values, assignment string) {
	path, text, found := strings.Cut(assignment, "=")
	if !found {
		check(fmt.Errorf("--set %s: it has no =", assignment))
	}
	keys := strings.Split(path, ".")
	var value interface{} = text
	if number, err := strconv.ParseFloat(text, 64); err == nil {
		value = number
	} else if text == "true" || text == "false" {
		value = text == "true"
	}
	nested := values{keys[len(keys)-1]: value}
	for at := len(keys) - 2; at >= 0; at-- {
		nested = values{keys[at]: nested}
	}
	merge(into, nested)
}

func toYaml(value interface{}) string {
	text, err := yaml.Marshal(value)
	check(err)
	return strings.TrimSuffix(string(text), "\n")
}

func fromYaml(text string) values {
	found := values{}
	if err := yaml.Unmarshal([]byte(text), &found); err != nil {
		found["Error"] = err.Error()
	}
	return found
}

func functions(root *template.Template) template.FuncMap {
	all := sprig.TxtFuncMap()
	delete(all, "env")
	delete(all, "expandenv")
	all["toYaml"] = toYaml
	all["fromYaml"] = fromYaml
	all["fromJson"] = fromYaml
	all["toJson"] = func(value interface{}) string {
		text, err := json.Marshal(value)
		check(err)
		return string(text)
	}
	all["lookup"] = func(...string) values { return values{} }
	all["required"] = func(warning string, value interface{}) (interface{}, error) {
		if value == nil || value == "" {
			return value, fmt.Errorf("%s", warning)
		}
		return value, nil
	}
	all["include"] = func(name string, data interface{}) (string, error) {
		var out bytes.Buffer
		err := root.ExecuteTemplate(&out, name, data)
		return out.String(), err
	}
	all["tpl"] = func(text string, data interface{}) (string, error) {
		copied, err := root.Clone()
		if err != nil {
			return "", err
		}
		one, err := copied.New("tpl").Parse(text)
		if err != nil {
			return "", err
		}
		var out bytes.Buffer
		err = one.Execute(&out, data)
		return strings.ReplaceAll(out.String(), "<no value>", ""), err
	}
	return all
}

// templatesOf has every file below templates, by the name that Helm gives it.
func templatesOf(chart, name string) map[string]string {
	found := map[string]string{}
	base := filepath.Join(chart, "templates")
	check(filepath.Walk(base, func(path string, info os.FileInfo, err error) error {
		if err != nil || info.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		relative, _ := filepath.Rel(base, path)
		found[filepath.Join(name, "templates", relative)] = string(text)
		return err
	}))
	return found
}

func main() {
	var libraries, files, sets, rest []string
	for args := os.Args[1:]; len(args) > 0; args = args[1:] {
		lists := map[string]*[]string{"--library": &libraries, "--values": &files, "--set": &sets}
		list, isOption := lists[args[0]]
		if !isOption {
			list = &rest
		} else if args = args[1:]; len(args) == 0 {
			check(fmt.Errorf("an option lacks its value"))
		}
		*list = append(*list, args[0])
	}
	if len(rest) != 2 {
		check(fmt.Errorf("usage: render [--library DIR]... [--values FILE]... [--set a.b=text]... NAME CHART"))
	}
	name, chart := rest[0], rest[1]
	about := readYaml(filepath.Join(chart, "Chart.yaml"))
	given := readYaml(filepath.Join(chart, "values.yaml"))
	for _, file := range files {
		merge(given, readYaml(file))
	}
	for _, one := range sets {
		set(given, one)
	}

	root := template.New("chart").Option("missingkey=zero")
	root.Funcs(functions(root))
	own := templatesOf(chart, about["name"].(string))
	all := map[string]string{}
	for _, library := range libraries {
		for path, text := range templatesOf(library, filepath.Join(about["name"].(string), "charts", filepath.Base(library))) {
			all[path] = text
		}
	}
	for path, text := range own {
		all[path] = text
	}
	for path, text := range all {
		_, err := root.New(path).Parse(text)
		check(err)
	}

	title := values{}
	for key, value := range about {
		title[strings.ToUpper(key[:1])+key[1:]] = value
	}
	var paths []string
	for path := range own {
		base := filepath.Base(path)
		if !strings.HasPrefix(base, "_") && base != "NOTES.txt" {
			paths = append(paths, path)
		}
	}
	sort.Strings(paths)
	for _, path := range paths {
		data := values{
			"Values":       given,
			"Chart":        title,
			"Release":      values{"Name": name, "Namespace": "default", "Service": "Helm", "IsInstall": true, "IsUpgrade": false, "Revision": 1},
			"Capabilities": values{"KubeVersion": values{"Version": "v1.33.0", "Major": "1", "Minor": "33"}},
			"Template":     values{"Name": path, "BasePath": filepath.Join(about["name"].(string), "templates")},
		}
		var out bytes.Buffer
		check(root.ExecuteTemplate(&out, path, data))
		text := strings.ReplaceAll(out.String(), "<no value>", "")
		for _, document := range strings.Split("\n"+text, "\n---") {
			var parsed interface{}
			if err := yaml.Unmarshal([]byte(document), &parsed); err != nil {
				check(fmt.Errorf("%s: %w", path, err))
			}
			if parsed == nil {
				continue
			}
			line, err := json.Marshal(parsed)
			check(err)
			fmt.Println(string(line))
		}
	}
}
