import type { ReactNode } from 'react'

/** Line drawings on a grid of 20. Each has a text beside it. */
const shapes = {
  map: <path d="M3 3h5v5H3zM12 3h5v5h-5zM3 12h5v5H3zM12 12h5v5h-5z" />,
  tree: <path d="M4 3v11a2 2 0 0 0 2 2h4M4 8h6M10 5.500h6v5h-6zM10 13.500h6v5h-6z" />,
  search: <path d="M8.500 3a5.500 5.500 0 1 1 0 11 5.500 5.500 0 0 1 0-11M12.500 12.500 17 17" />,
  funnel: <path d="M3 4h14l-5.500 6.500V16l-3 1.500v-7z" />,
  question: <path d="M7 7.500A3 3 0 1 1 10 11v1.500M10 15.500v.5" />,
  branch: <path d="M5 17V9a3 3 0 0 1 3-3h7M12 3l3 3-3 3M5 13h5a3 3 0 0 0 3-1" />,
  flavor: <path d="M4 7l6-4 6 4v6l-6 4-6-4zM4 7l6 4 6-4M10 11v6" />,
  group: <path d="M3 5h6v6H3zM11 9h6v6h-6zM9 8h2v1" />,
  book: (
    <path d="M4 4h5a1.500 1.500 0 0 1 1 .5A1.500 1.500 0 0 1 11 4h5v12h-5a1 1 0 0 0-1 1 1 1 0 0 0-1-1H4zM10 5v12" />
  ),
  share: (
    <path d="M4 6c0-1.500 2.700-2.500 6-2.500s6 1 6 2.500v8c0 1.500-2.700 2.500-6 2.500S4 15.500 4 14zM4 6c0 1.500 2.700 2.500 6 2.500S16 7.500 16 6M4 10c0 1.500 2.700 2.500 6 2.500s6-1 6-2.500" />
  ),
  sun: (
    <path d="M10 6.500a3.500 3.500 0 1 1 0 7 3.500 3.500 0 0 1 0-7M10 2v1.500M10 16.500V18M2 10h1.500M16.500 10H18M4.300 4.300l1 1M14.700 14.700l1 1M4.300 15.700l1-1M14.700 5.300l1-1" />
  ),
  moon: <path d="M16 11.500A6.500 6.500 0 0 1 8.500 4a6.500 6.500 0 1 0 7.500 7.500" />,
  menu: <path d="M3 5h14M3 10h14M3 15h14" />,
  close: <path d="M5 5l10 10M15 5 5 15" />,
  copy: <path d="M7 7V3.500h9.500V13H13M3.500 7H13v9.500H3.500z" />,
  check: <path d="M4 10.500l4 4 8-9" />,
  plus: <path d="M10 4v12M4 10h12" />,
  trash: <path d="M4 5.500h12M8 5V3.500h4V5M5.500 5.500l.8 11h7.400l.8-11M8.500 8.500v5M11.500 8.500v5" />,
  right: <path d="M7.500 4.500 13 10l-5.500 5.500" />,
  down: <path d="M4.500 7.500 10 13l5.500-5.500" />,
  user: (
    <path d="M10 3a3.500 3.500 0 1 1 0 7 3.500 3.500 0 0 1 0-7M3.500 17c.5-3.500 3-5 6.500-5s6 1.500 6.500 5" />
  ),
  warning: <path d="M10 3 2.500 16.500h15zM10 8v4M10 14v.5" />,
  pencil: <path d="M3.500 16.500l.8-3.800L13 4l3 3-8.700 8.700zM11 6l3 3" />,
  chart: <path d="M3 3v14h14M6 13l3.500-4 3 2.500L17 5" />,
  clock: <path d="M10 3a7 7 0 1 1 0 14 7 7 0 0 1 0-14M10 6v4l3 2" />,
  table: <path d="M3 4h14v12H3zM3 8h14M3 12h14M8 8v8" />,
  grid: <path d="M3 3h14v14H3zM3 6.500h14M3 10h14M3 13.500h14M6.500 3v14M10 3v14M13.500 3v14" />,
  link: (
    <path d="M8.500 11.500 11.500 8.500M9 6l1.500-1.500a3.200 3.200 0 0 1 4.500 4.500L13.500 10.500M11 14l-1.500 1.500A3.200 3.200 0 0 1 5 11L6.500 9.500" />
  ),
} satisfies Record<string, ReactNode>

export type IconName = keyof typeof shapes

export function Icon({ name, size = 16 }: { readonly name: IconName; readonly size?: number }) {
  return (
    <svg
      width={size}
      height={size}
      viewBox="0 0 20 20"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.5"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
    >
      {shapes[name]}
    </svg>
  )
}
