import { existsSync, globSync, writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { dirname, join } from 'node:path'
import { adapterMutants } from '../../packages/guard/mutants/adapter-mutants.ts'
import { gateMutants } from '../../packages/guard/mutants/gate-mutants.ts'
import { keyMutants } from '../../packages/guard/mutants/key-mutants.ts'
import type { Mutant } from '../../packages/guard/mutants/mutant.ts'
import { tokenMutants } from '../../packages/guard/mutants/token-mutants.ts'
import { read, root } from '../../tools/checks/source-tree.ts'
import { firstFailure, type Print, withBrokenSource } from './broken-run.ts'

/** The result for a mutant: the test that detected it, if any. */
type Fate = { readonly mutant: Mutant; readonly caughtBy: string | undefined }

const guard = join(root, 'packages/guard')
const mutants = [...tokenMutants, ...keyMutants, ...gateMutants, ...adapterMutants]
const page = join(root, 'docs/generated/mutants-guard.md')
/** Without the test of the page, which fails until a new row is on it. */
const allTests = globSync('test/**/*.test.ts', { cwd: guard }).filter(
  (file) => !file.endsWith('docs/mutants.test.ts'),
)

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

/** Runs the tests of a broken file or its folder first, because they find most faults, and then all. */
function detect(mutant: Mutant): Promise<string | undefined> {
  const file = `test/${mutant.file.replace(/\.ts$/, '.test.ts')}`
  const own = existsSync(join(guard, file)) ? file : join(dirname(file), '*.test.ts')
  return withBrokenSource(join(guard, 'src', mutant.file), breakSource(mutant), async (env) => {
    const found = await firstFailure([own], guard, env)
    return found ?? firstFailure(allTests, guard, env)
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

/** Writes the new results, beside those that the page has of other mutants. */
function writePage(fates: readonly Fate[]): void {
  const written = read('docs/generated/mutants-guard.md').matchAll(/^\| \d+ \| (.*) \| (.*) \|$/gm)
  const results = new Map([...written].map(([, mutant = '', result = '']) => [mutant, result]))
  const nameOf = ({ file, breaks }: Mutant) => `\`${file}\` | ${cell(breaks)}`
  const missed = '**no test**'
  for (const { mutant, caughtBy } of fates) {
    results.set(nameOf(mutant), caughtBy === undefined ? missed : cell(caughtBy))
  }
  const rows = mutants.map(
    (mutant, index) =>
      `| ${index + 1} | ${nameOf(mutant)} | ${results.get(nameOf(mutant)) ?? missed} |`,
  )
  const caught = rows.filter((row) => !row.includes(missed)).length
  writeFileSync(
    page,
    `# Mutants of the guard

Each row is the guard with one broken rule, and the first test that detects it. \`npm run mutants -- guard\` writes the table:
for each row, it runs the guard's tests with the broken file until one fails, the nearest ones first. The edits are in [packages/guard/mutants](../../packages/guard/mutants).

**${caught} of ${rows.length} were detected.**

| | file | the broken guard | detected by |
|---|---|---|---|
${rows.join('\n')}
`,
  )
}

/**
 * Breaks the guard in each listed way, and prints the first test that detects it.
 *
 * @param part chooses the mutants whose file or description contains it. The page keeps the other rows.
 * @returns the number of mutants that no test detects
 */
export async function judgeGuard(print: Print, part?: string): Promise<number> {
  const failure = await firstFailure(allTests, guard)
  if (failure !== undefined) throw new Error(`The tests fail without a mutant: ${failure}`)
  const chosen = mutants.filter(
    ({ file, breaks }) => part === undefined || `${file} ${breaks}`.includes(part),
  )
  const fates = await judgeAll(chosen, print)
  writePage(fates)
  const missed = fates.filter(({ caughtBy }) => caughtBy === undefined)
  print(`${fates.length - missed.length} of ${fates.length} detected`)
  return missed.length
}
