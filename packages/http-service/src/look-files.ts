import type { StaticFile } from './static-files.ts'

const own = (name: string) => new URL(`./look/${name}`, import.meta.url)

/** The mark, and the style of every page: accent, colors and type scale. */
export const lookFiles = {
  'look.css': { url: own('look.css'), type: 'text/css; charset=utf-8' },
  'mark.svg': { url: own('mark.svg'), type: 'image/svg+xml' },
} as const satisfies Readonly<Record<string, StaticFile>>
