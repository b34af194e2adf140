import { join } from 'node:path'
import { read, root, sources } from '../../tools/checks/source-tree.ts'
import { firstFailure, type Print, withBrokenSource } from './broken-run.ts'
import { knownSurvivors } from './known-survivors.ts'
import { nearestTests } from './nearest-tests.ts'
import { sampleMutants } from './sample.ts'

const seed = 'greeting'
/** The number of tests that run first. */
const near = 6

type Subject = {
  readonly packages: readonly string[]
  /** The part of all mutants that each folder of a source contributes. */
  readonly shares: Readonly<Record<string, number>>
}

const subjects = {
  provider: {
    packages: ['services/identity-provider', 'packages/directory'],
    shares: {
      'issuance/': 0.15,
      'dialect/': 0.06,
      'endpoints/': 0.06,
      'signing/': 0.06,
      'management/': 0.04,
      'storage/sql/rows/': 0.05,
      'storage/sql/lists/': 0.05,
    },
  },
  authorizer: { packages: ['services/authorizer'], shares: { '': 1 } },
} as const satisfies Readonly<Record<string, Subject>>

/** The mutants of every folder, each with its file. System tests run the files `main.ts`. */
const sampleOf = ({ packages, shares }: Subject) =>
  Object.entries(shares).flatMap(([folder, share]) =>
    sources
      .filter((file) => packages.some((path) => file.startsWith(`${path}/src/${folder}`)))
      .filter((file) => !file.endsWith('/main.ts'))
      .flatMap((file) =>
        sampleMutants(read(file), share, seed).map((mutant) => ({ file, ...mutant })),
      ),
  )

/**
 * Breaks a service at each sampled position, and prints the first test that detects it.
 *
 * @param part chooses the files whose path contains it, or one mutant by its id
 * @returns the number of mutants that no test detects and that no row of the known survivors explains
 */
export async function judgeService(
  name: keyof typeof subjects,
  print: Print,
  part = '',
): Promise<number> {
  const counts = { detected: 0, known: 0, missed: 0 }
  const subject: Subject = subjects[name]
  for (const { file, id, change, source } of sampleOf(subject)) {
    if (!file.includes(part) && id !== part) continue
    const tests = nearestTests(file, subject.packages)
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
