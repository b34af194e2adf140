import { join } from 'node:path'
import { read, root, sources } from '../architecture/source-tree.ts'
import { firstFailure, type Print, withBrokenSource } from './broken-run.ts'
import { knownSurvivors } from './known-survivors.ts'
import { nearestTests } from './nearest-tests.ts'
import { sampleMutants } from './sample.ts'

/** The identity provider, and the package with its directory. */
const packages = ['services/identity-provider', 'packages/directory']
const seed = 'greeting'
/** The number of tests that run first. */
const near = 6

/** The part of all mutants that each folder of a source contributes. */
const shares: Readonly<Record<string, number>> = {
  issuance: 0.15,
  dialect: 0.06,
  http: 0.06,
  federation: 0.1,
  signing: 0.06,
  management: 0.04,
  'storage/sql/rows': 0.05,
  'storage/sql/lists': 0.05,
}

/** The mutants of every folder, each with its file. */
const sample = Object.entries(shares).flatMap(([folder, share]) =>
  sources
    .filter((file) => packages.some((path) => file.startsWith(`${path}/src/${folder}/`)))
    .flatMap((file) =>
      sampleMutants(read(file), share, seed).map((mutant) => ({ file, ...mutant })),
    ),
)

/**
 * Breaks the identity provider in each sampled place, and prints the first test that detects it.
 *
 * @param part chooses the files whose path contains it, or one mutant by its id
 * @returns the number of mutants that no test detects and that no row of the known survivors explains
 */
export async function judgeProvider(print: Print, part = ''): Promise<number> {
  const counts = { detected: 0, known: 0, missed: 0 }
  for (const { file, id, change, source } of sample) {
    if (!file.includes(part) && id !== part) continue
    const tests = nearestTests(file, packages)
    const caughtBy = await withBrokenSource(join(root, file), source, async (env) => {
      const found = await firstFailure(tests.slice(0, near), root, env)
      return found ?? firstFailure(tests.slice(near), root, env)
    })
    const known = knownSurvivors[id]
    counts[caughtBy !== undefined ? 'detected' : known !== undefined ? 'known' : 'missed'] += 1
    const place = file.slice(file.indexOf('/src/') + '/src/'.length)
    print(`${id} ${place} ${change.slice(0, 160)}: ${caughtBy ?? known ?? 'MISSED'}`)
  }
  const { detected, known, missed } = counts
  print(`${detected} detected, ${known} known survivors, ${missed} missed`)
  return missed
}
