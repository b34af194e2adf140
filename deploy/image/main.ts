import { resolve } from 'node:path'
import { writeProgram } from './program.ts'
import { targetOf } from './targets.ts'

// `node deploy/image/main.ts <target> <folder>`: writes what an image has in /app, as the Containerfile does.

const [name, folder] = process.argv.slice(2)
const root = resolve(import.meta.dirname, '../..')
if (folder === undefined) {
  console.error('Use: node deploy/image/main.ts <target> <folder>')
  process.exitCode = 2
} else {
  await writeProgram(root, targetOf(name), resolve(folder))
  console.log(`${name} is in ${folder}`)
}
