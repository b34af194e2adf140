// The first file of the single executable. The files of the command are inside it, and are never written
// to a disk: no folder can hinder a start, and two versions do not meet.

/** Lets modules and the functions that read files find what is inside. A thread needs it too. */
function install() {
  const { getAsset } = process.getBuiltinModule('node:sea')
  const { registerHooks, syncBuiltinESMExports } = process.getBuiltinModule('node:module')
  const { fileURLToPath } = process.getBuiltinModule('node:url')
  const fs = process.getBuiltinModule('node:fs')
  const threads = process.getBuiltinModule('node:worker_threads')
  const root = process.platform === 'win32' ? 'file:///C:/greeting.app/' : 'file:///greeting.app/'
  const folder = fileURLToPath(root)
  const inside = (path) => {
    const text = `${path}`
    if (!text.startsWith(folder)) return undefined
    try {
      return Buffer.from(getAsset(text.slice(folder.length).replaceAll('\\', '/')))
    } catch {
      return undefined
    }
  }
  const isOurs = (url) => `${url}`.startsWith(root)
  registerHooks({
    resolve(specifier, context, next) {
      if (!isOurs(specifier) && (!isOurs(context.parentURL) || !/^[#.]/.test(specifier)))
        return next(specifier, context)
      const { href } = specifier.startsWith('#')
        ? new URL(`lib/${specifier.slice(1)}.js`, root)
        : new URL(specifier, context.parentURL)
      return { url: href, format: 'module', shortCircuit: true }
    },
    load: (url, context, next) =>
      isOurs(url)
        ? { source: inside(fileURLToPath(url)), format: 'module', shortCircuit: true }
        : next(url, context),
  })
  const { existsSync, readFileSync } = fs
  const { readFile } = fs.promises
  const textOf = (bytes, options) => {
    const encoding = typeof options === 'string' ? options : options?.encoding
    return encoding ? bytes.toString(encoding) : bytes
  }
  fs.existsSync = (path) => inside(path) !== undefined || existsSync(path)
  fs.readFileSync = (path, options) => {
    const bytes = inside(path)
    return bytes ? textOf(bytes, options) : readFileSync(path, options)
  }
  fs.promises.readFile = async (path, options) => {
    const bytes = inside(path)
    return bytes ? textOf(bytes, options) : readFile(path, options)
  }
  const { Worker } = threads
  threads.Worker = class extends Worker {
    constructor(file, options) {
      if (isOurs(file)) super(`(${install})(); import('${file}')`, { ...options, eval: true })
      else super(file, options)
    }
  }
  syncBuiltinESMExports()
  return { folder, root }
}

const { folder, root } = install()
// How the user has started it, also when the file is renamed or linked.
process.argv[1] = process.argv0
// Options of Node, which the file has already.
while (process.argv[2]?.startsWith('--max-')) process.argv.splice(2, 1)
const [, , first = ''] = process.argv
// A program of the command that runs as a process of its own, and a short script, as Node takes them.
if (first === '-e') {
  const [script] = process.argv.splice(1, 3).slice(2)
  new Function('require', script)(require)
} else if (first.startsWith(folder)) {
  process.argv.splice(1, 1)
  import(new URL(first.slice(folder.length).replaceAll('\\', '/'), root).href)
} else import(`${root}lib/main.js`)
