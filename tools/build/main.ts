import { join, relative } from 'node:path'
import { buildPackages } from './build-packages.ts'

const root = join(import.meta.dirname, '../..')
for (const { name, version, folder } of await buildPackages(root)) {
  console.log(`${name} ${version} is in ${relative(root, folder)}`)
}
