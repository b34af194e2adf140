import { existsSync, writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { read, root } from '../architecture/source-tree.ts'
import { gateMutants } from '../packages/guard/mutants/gate-mutants.ts'
import { keyMutants } from '../packages/guard/mutants/key-mutants.ts'
import type { Mutant } from '../packages/guard/mutants/mutant.ts'
import { tokenMutants } from '../packages/guard/mutants/token-mutants.ts'
import { firstFailure, type Print, withBrokenSource } from './broken-run.ts'

/** The result for a mutant: the test that detected it, if any. */
type Fate = { readonly mutant: Mutant; readonly caughtBy: string | undefined }

const guard = join(root, 'packages/guard')
const page = join(root, 'docs/generated/mutants-guard.md')

/** The source of a mutant. */
function breakSource({ file, edits, breaks }: Mutant): string {
  return edits.reduce(
    (text, [find, replace]) => {
      if (!text.includes(find)) throw new Error(`${file}: "${find}" is not there (${breaks})`)
      return text.replaceAll(find, () => replace)
    },
    read(`packages/guard/src/${file}`),
  )
}

/** Runs the tests of a broken file first, because they find most faults, and then all tests. */
function detect(mutant: Mutant): Promise<string | undefined> {
  const own = `test/${mutant.file.replace(/\.ts$/, '.test.ts')}`
  return withBrokenSource(join(guard, 'src', mutant.file), breakSource(mutant), async (env) => {
    const found = existsSync(join(guard, own)) ? await firstFailure([own], guard, env) : undefined
    return found ?? firstFailure(['test/**/*.test.ts'], guard, env)
  })
}

/** Each worker takes the next mutant until none is left. */
async function judgeAll(mutants: readonly Mutant[], print: Print): Promise<Fate[]> {
  const fates: Fate[] = []
  const queue = mutants.entries()
  const work = async () => {
    for (const [index, mutant] of queue) {
      const caughtBy = await detect(mutant)
      fates[index] = { mutant, caughtBy }
      print(`${mutant.file} ${mutant.breaks}: ${caughtBy ?? 'MISSED'}`)
    }
  }
  await Promise.all(Array.from({ length: availableParallelism() }, work))
  return fates
}

const cell = (text: string) => text.replaceAll('|', '\\|').replaceAll('\\#', '#')

function writePage(fates: readonly Fate[]): void {
  const rows = fates.map(
    ({ mutant, caughtBy }, index) =>
      `| ${index + 1} | \`${mutant.file}\` | ${cell(mutant.breaks)} | ${caughtBy === undefined ? '**no test**' : cell(caughtBy)} |`,
  )
  const caught = fates.filter(({ caughtBy }) => caughtBy !== undefined).length
  writeFileSync(
    page,
    `# Mutants of the guard

Each row is the guard with one broken rule, and the first test that detects it. \`npm run mutants -- guard\` writes the table:
for each row, it runs the guard's tests with the broken file until one fails, those of that file first. The edits are in [packages/guard/mutants](../../packages/guard/mutants).

**${caught} of ${fates.length} were detected.**

| | file | the broken guard | detected by |
|---|---|---|---|
${rows.join('\n')}
`,
  )
}

/**
 * Breaks the guard in each listed way, and prints the first test that detects it.
 *
 * @param part chooses the mutants whose file or description contains it; without it, the page is written
 * @returns the number of mutants that no test detects
 */
export async function judgeGuard(print: Print, part?: string): Promise<number> {
  const failure = await firstFailure(['test/**/*.test.ts'], guard)
  if (failure !== undefined) throw new Error(`The tests fail without a mutant: ${failure}`)
  const chosen = [...tokenMutants, ...keyMutants, ...gateMutants].filter(
    ({ file, breaks }) => part === undefined || `${file} ${breaks}`.includes(part),
  )
  const fates = await judgeAll(chosen, print)
  if (part === undefined) writePage(fates)
  const missed = fates.filter(({ caughtBy }) => caughtBy === undefined)
  print(`${fates.length - missed.length} of ${fates.length} detected`)
  return missed.length
}
