import { StaticFiles } from '@greeting/http-service'

const own = (name: string) => new URL(`../static/${name}`, import.meta.url)

const script = 'text/javascript; charset=utf-8'
const style = 'text/css; charset=utf-8'

/** The files that the pages of the portal load. */
export const staticFiles = new StaticFiles('/portal/static', {
  'pico.css': {
    url: new URL(import.meta.resolve('@picocss/pico/css/pico.fluid.classless.min.css')),
    type: style,
  },
  'portal.css': { url: own('portal.css'), type: style },
  'portal.js': { url: own('portal.js'), type: script },
  'copy.js': { url: own('copy.js'), type: script },
  'countdown.js': { url: own('countdown.js'), type: script },
  'decode.js': { url: own('decode.js'), type: script },
  'follow.js': { url: own('follow.js'), type: script },
  'icon.svg': { url: own('icon.svg'), type: 'image/svg+xml' },
})
