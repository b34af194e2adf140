// Loads the modules of a service while its settings are not known yet, and runs it when they arrive.
// Plain JavaScript: the first file of a process is not stripped of types.
import { extname } from 'node:path'
import { pathToFileURL } from 'node:url'

const main = pathToFileURL(process.argv[2] ?? '')

hold()

function hold() {
  // The parent has ended before it sent the settings.
  const onDisconnect = () => process.exit(0)
  process.once('disconnect', onDisconnect)
  process.once('message', (settings) => {
    process.off('disconnect', onDisconnect)
    Object.assign(process.env, settings)
    import(main.href)
  })
  // The files that `main.ts` imports. They start nothing. A failure appears again in `main.ts`.
  const ending = extname(main.pathname)
  for (const name of ['service', 'settings'])
    import(new URL(`${name}${ending}`, main).href).catch(() => undefined)
}
