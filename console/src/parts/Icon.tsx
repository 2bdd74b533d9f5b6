// The icons: strokes on a grid of 16, in the colour of the text.

const paths = {
  table: 'M2 3h12v10H2zM2 6.5h12M6.5 6.5V13',
  items: 'M2 4h12M2 8h12M2 12h12',
  query: 'M7 2.5a4.5 4.5 0 1 1 0 9 4.5 4.5 0 0 1 0-9M10.5 10.5 14 14',
  keys: 'M1.5 8h13M1.5 5v6M5 6.5v3M8 5v6M11 6.5v3M14.5 5v6',
  explain: 'M2 13V3M2 13h12M5 13V8M8.5 13V5M12 13v-2.5',
  requests: 'M2 4h6M2 8h12M2 12h4M11 4h3M9 12h5',
  server: 'M2.5 2.5h11v4h-11zM2.5 9.5h11v4h-11zM5 4.5h.01M5 11.5h.01',
  start: 'M2 7.5 8 2.5l6 5M4 6.5v7h8v-7',
  plus: 'M8 3v10M3 8h10',
  close: 'M4 4l8 8M12 4l-8 8',
  more: 'M3.5 8h.01M8 8h.01M12.5 8h.01',
  down: 'M4 6l4 4 4-4',
  right: 'M6 4l4 4-4 4',
  left: 'M10 4 6 8l4 4',
  up: 'M4 10l4-4 4 4',
  copy: 'M5.5 5.5h8v8h-8zM10.5 5.5v-3h-8v8h3',
  sun: 'M8 5a3 3 0 1 1 0 6 3 3 0 0 1 0-6M8 1v1.5M8 13.5V15M1 8h1.5M13.5 8H15M3 3l1 1M12 12l1 1M13 3l-1 1M4 12l-1 1',
  moon: 'M13 9.5A5.5 5.5 0 0 1 6.5 3 5.5 5.5 0 1 0 13 9.5',
  system: 'M2 3h12v8H2zM6 14h4M8 11v3',
  lock: 'M4 7h8v6.5H4zM5.5 7V5a2.5 2.5 0 0 1 5 0v2',
  unlock: 'M4 7h8v6.5H4zM5.5 7V5a2.5 2.5 0 0 1 4.8-1',
  reload: 'M13 8a5 5 0 1 1-1.5-3.5M13 2v3h-3',
  download: 'M8 2v8M4.5 7 8 10.5 11.5 7M2.5 13.5h11',
  upload: 'M8 11V3M4.5 6 8 2.5 11.5 6M2.5 13.5h11',
  trash: 'M3 4.5h10M6 4.5v-2h4v2M4.5 4.5l.5 9h6l.5-9M7 7v4M9 7v4',
  edit: 'M3 13l.5-3L11 2.5 13.5 5 6 12.5z',
  check: 'M3 8.5 6.5 12 13 4.5',
  menu: 'M2 4h12M2 8h12M2 12h12',
  code: 'M5.5 4.5 2 8l3.5 3.5M10.5 4.5 14 8l-3.5 3.5',
  history: 'M3 8a5 5 0 1 1 1.5 3.5M3 4.5V8h3.5M8 5.5V8l2 1.5',
  star: 'M8 2l1.8 3.8 4.2.6-3 2.9.7 4.2L8 11.5l-3.7 2 .7-4.2-3-2.9 4.2-.6z',
  warn: 'M8 2.5 14.5 13.5h-13zM8 6.5v3.5M8 12h.01',
  info: 'M8 2a6 6 0 1 1 0 12A6 6 0 0 1 8 2M8 7.5V11M8 5h.01',
  columns: 'M2 3h12v10H2zM6 3v10M10 3v10',
  key: 'M5.5 7a3 3 0 1 1-.01 6A3 3 0 0 1 5.5 7M8 8l5.5-5.5M11 5l2 2',
  play: 'M4.5 3v10l8-5z',
  stop: 'M4 4h8v8H4z',
  index: 'M3 3h4v4H3zM9 9h4v4H9zM7 5h4v4',
} as const;

export type IconName = keyof typeof paths;

export function Icon({ name }: { name: IconName }) {
  return (
    <svg class="icon" viewBox="0 0 16 16" width="16" height="16" aria-hidden="true" focusable="false">
      <path d={paths[name]} fill="none" stroke="currentColor" stroke-width="1.4" stroke-linecap="round" stroke-linejoin="round" />
    </svg>
  );
}
