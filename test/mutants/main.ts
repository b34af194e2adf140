import type { Print } from './broken-run.ts'
import { judgeGuard } from './guard.ts'
import { judgeService } from './service.ts'

const help = `npm run mutants -- guard [text]            every listed mutant, or those whose row contains the text
npm run mutants -- provider [path or id]   a seeded sample of mutants, or those of some files, or one
npm run mutants -- authorizer [path or id] all mutants of the same kind

Each mutant breaks one source file for the tests that import it. The tests stop at the first failure.
The exit code is 1 when a mutant is not detected.`

const judges: Readonly<Record<string, (print: Print, part?: string) => Promise<number>>> = {
  guard: judgeGuard,
  provider: (print, part) => judgeService('provider', print, part),
  authorizer: (print, part) => judgeService('authorizer', print, part),
}
const [subject = '', part] = process.argv.slice(2)
const judge = judges[subject]

if (judge === undefined) console.log(help)
else process.exitCode = (await judge(console.log, part)) === 0 ? 0 : 1
