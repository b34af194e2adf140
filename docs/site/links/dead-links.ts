import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'

const attribute = /<(\w+)\b[^>]*?\s(?:href|src)=(?:"([^"]*)"|([^\s>]+))/g
const anchor = /\sid=(?:"([^"]*)"|([^\s>]+))/g
const unescaped = (text: string) => text.replace(/&#x26;|&#38;|&amp;/g, '&')

/** The page of an address, as a plain file server answers it. */
const fileOf = (folder: string, path: string) => {
  const file = join(folder, path)
  return existsSync(file) && statSync(file).isDirectory() ? join(file, 'index.html') : file
}

/**
 * Finds the links of a built site that lead nowhere, and the elements that another server would have to send.
 *
 * @param folder the built site
 * @param base the path of the site, with slashes around it
 */
export function deadLinks(folder: string, base: string): string[] {
  const pages = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.html'))
    .sort()
  const anchors = new Map<string, ReadonlySet<string>>()
  const anchorsOf = (file: string) => {
    const known = anchors.get(file)
    if (known !== undefined) return known
    const found = [...readFileSync(file, 'utf8').matchAll(anchor)].map(([, a, b]) => a ?? b ?? '')
    anchors.set(file, new Set(found))
    return new Set(found)
  }
  return pages.flatMap((page) => {
    const pageUrl = new URL(`http://site${base}${page.replace(/index\.html$/, '')}`)
    return [...readFileSync(join(folder, page), 'utf8').matchAll(attribute)].flatMap(
      ([, tag = '', quoted, bare]) => {
        const target = unescaped(quoted ?? bare ?? '')
        if (!URL.canParse(target, pageUrl)) return [`${page}: not an address: ${target}`]
        const url = new URL(target, pageUrl)
        if (url.host !== 'site')
          return tag === 'a' || (tag === 'link' && /^https?:/.test(target))
            ? []
            : /^(data|mailto):/.test(target)
              ? []
              : [`${page}: <${tag}> of another server: ${target}`]
        if (!url.pathname.startsWith(base)) return [`${page}: outside of ${base}: ${target}`]
        const file = fileOf(folder, decodeURIComponent(url.pathname.slice(base.length)))
        if (!existsSync(file)) return [`${page}: no page ${target}`]
        const hash = decodeURIComponent(url.hash.slice(1))
        return hash === '' ||
          hash === '_top' ||
          !file.endsWith('.html') ||
          anchorsOf(file).has(hash)
          ? []
          : [`${page}: no anchor ${target}`]
      },
    )
  })
}
