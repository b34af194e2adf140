import { spawn } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { gateMutants } from './gate-mutants.ts'
import { keyMutants } from './key-mutants.ts'
import type { Mutant } from './mutant.ts'
import { tokenMutants } from './token-mutants.ts'

/** The result for a mutant: the test that detected it, if any. */
type Fate = { readonly mutant: Mutant; readonly caughtBy: string | undefined }

const guard = join(import.meta.dirname, '..')
const repository = join(guard, '../..')
const workshop = mkdtempSync(join(tmpdir(), 'guard-mutants-'))
// The copies use the packages and the fixtures of the repository.
for (const folder of ['node_modules', 'fixtures'])
  symlinkSync(join(repository, folder), join(workshop, folder))
const page = join(repository, 'docs/generated/mutants-guard.md')
const longestRunMs = 120_000

/** Copies the guard and breaks the copy. */
function breakCopy({ file, edits, breaks }: Mutant, copy: string): void {
  rmSync(copy, { recursive: true, force: true })
  mkdirSync(copy, { recursive: true })
  for (const part of ['src', 'test', 'measurements', 'package.json']) {
    cpSync(join(guard, part), join(copy, part), { recursive: true })
  }
  // Tests of pages compare the original guard, not a broken copy.
  rmSync(join(copy, 'test/docs'), { recursive: true })
  const path = join(copy, 'src', file)
  const broken = edits.reduce(
    (text, [find, replace]) => {
      if (!text.includes(find)) throw new Error(`${file}: "${find}" is not there (${breaks})`)
      return text.replaceAll(find, () => replace)
    },
    readFileSync(path, 'utf8'),
  )
  writeFileSync(path, broken)
}

/** Runs the tests of a broken file first, because they find most faults, and then all tests. */
async function detect(copy: string, file: string): Promise<string | undefined> {
  const own = `test/${file.replace(/\.ts$/, '.test.ts')}`
  const found = existsSync(join(copy, own)) ? await firstFailure(copy, own) : undefined
  return found ?? firstFailure(copy, 'test/**/*.test.ts')
}

/** Runs tests of a copy in one process until the first failure; resolves to its name. */
function firstFailure(copy: string, files: string): Promise<string | undefined> {
  const { promise, resolve } = Promise.withResolvers<string | undefined>()
  const tests = ['--test', '--test-isolation=none', '--test-reporter=tap', files]
  const run = spawn(process.execPath, tests, {
    cwd: copy,
    detached: true,
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  let output = ''
  const end = (caughtBy: string | undefined) => {
    clearTimeout(timer)
    resolve(caughtBy)
    try {
      // Some tests start processes, so kill the whole group.
      if (run.exitCode === null && run.pid !== undefined) process.kill(-run.pid, 'SIGKILL')
    } catch {
      // It has already ended.
    }
  }
  const timer = setTimeout(() => end('the tests do not end'), longestRunMs)
  run.stdout.on('data', (chunk) => {
    output += chunk
    const failed = /^ *not ok \d+ - (.*)$/m.exec(output)?.[1]
    if (failed !== undefined && run.exitCode === null) end(failed)
    output = output.slice(output.lastIndexOf('\n') + 1)
  })
  run.on('exit', (code) => end(code === 0 ? undefined : 'the tests do not run'))
  return promise
}

// As deep as the guard itself: its tests import the fixtures by a relative path.
const copyOf = (worker: number) => join(workshop, 'packages', `${worker}`)

/** Each worker takes the next mutant until none is left. */
async function judgeAll(mutants: readonly Mutant[], workers: number): Promise<Fate[]> {
  const fates: Fate[] = []
  const queue = mutants.entries()
  const work = async (worker: number) => {
    for (const [index, mutant] of queue) {
      const copy = copyOf(worker)
      breakCopy(mutant, copy)
      const caughtBy = await detect(copy, mutant.file)
      fates[index] = { mutant, caughtBy }
      console.log(`${mutant.file} ${mutant.breaks}: ${caughtBy ?? 'MISSED'}`)
    }
  }
  await Promise.all(Array.from({ length: workers }, (_, worker) => work(worker)))
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

Each row is the guard with one broken rule, and the first test that detects it. \`npm run mutants\` writes the table:
for each row, it breaks a copy and runs the guard's tests until one fails, those of the broken file first. The edits are in [packages/guard/mutants](../../packages/guard/mutants).

**${caught} of ${fates.length} were detected.**

| | file | the broken guard | detected by |
|---|---|---|---|
${rows.join('\n')}
`,
  )
}

const control = copyOf(0)
breakCopy({ file: 'guard.ts', breaks: 'nothing', edits: [] }, control)
const failure = await firstFailure(control, 'test/**/*.test.ts')
if (failure !== undefined) {
  console.error(`The tests fail without a mutant: ${failure}`)
  process.exit(1)
}

const only = process.argv[2]
const all = [...tokenMutants, ...keyMutants, ...gateMutants]
const chosen = all.filter(
  ({ file, breaks }) => only === undefined || `${file} ${breaks}`.includes(only),
)
const fates = await judgeAll(chosen, availableParallelism())
rmSync(workshop, { recursive: true, force: true })
if (only === undefined) writePage(fates)
const missed = fates.filter(({ caughtBy }) => caughtBy === undefined)
console.log(`${fates.length - missed.length} of ${fates.length} detected`)
process.exit(missed.length === 0 ? 0 : 1)
