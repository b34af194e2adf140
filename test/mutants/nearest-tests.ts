import { importsOf, resolveOurs, sources } from '../../tools/checks/source-tree.ts'

const importers = new Map<string, string[]>()
for (const file of sources)
  for (const specifier of importsOf(file)) {
    const target = resolveOurs(file, specifier)
    if (target !== undefined) importers.set(target, [...(importers.get(target) ?? []), file])
  }

/** The number of folders that two paths share at their ends, without the name of the file. */
function sharedFolders(source: string, test: string): number {
  const folders = source.split('/').slice(3, -1)
  const own = test.split('/').slice(3, -1)
  const other = folders.findIndex((folder, index) => folder !== own[index])
  return other === -1 ? folders.length : other
}

/**
 * Finds the unit tests of some packages that import a source file.
 *
 * @returns the tests in the folder of the file first, then those with the fewest steps
 */
export function nearestTests(file: string, packages: readonly string[]): readonly string[] {
  const found = new Set([file])
  for (const reached of found)
    for (const importer of importers.get(reached) ?? []) found.add(importer)
  return [...found]
    .filter((path) => packages.some((one) => path.startsWith(`${one}/`)))
    .filter((path) => /(?<!\.(?:long|system))\.test\.ts$/.test(path))
    .sort((a, b) => sharedFolders(file, b) - sharedFolders(file, a))
}
