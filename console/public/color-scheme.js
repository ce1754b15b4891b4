// Before anything is painted, so that a dark page never flashes light.
try {
  const chosen = localStorage.getItem('berth-color-scheme')
  const dark = chosen === 'dark' || (chosen !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches)
  document.documentElement.setAttribute('data-mantine-color-scheme', dark ? 'dark' : 'light')
} catch {}
