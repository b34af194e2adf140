import { resolve } from 'node:path'
import { layerNames, writeLayers } from './layers.ts'
import { targetOf } from './targets.ts'

// `node deploy/image/main.ts <target> <folder>`: writes the layers of an image, as the Containerfile does.

const [name, folder] = process.argv.slice(2)
const root = resolve(import.meta.dirname, '../..')
if (folder === undefined) {
  console.error('Use: node deploy/image/main.ts <target> <folder>')
  process.exitCode = 2
} else {
  await writeLayers(root, targetOf(name), resolve(folder))
  console.log(`${name}: ${layerNames.join(' and ')} are in ${folder}`)
}
