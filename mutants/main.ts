import { judgeGuard } from './guard.ts'
import { judgeProvider } from './provider.ts'

const help = `npm run mutants -- guard [text]            every listed mutant, or those whose row contains the text
npm run mutants -- provider [path or id]   a seeded sample of mutants, or those of some files, or one

Each mutant breaks one source file for the tests that import it. The tests stop at the first failure.
The exit code is 1 when a mutant is not detected.`

const judges = { guard: judgeGuard, provider: judgeProvider }
const [subject, part] = process.argv.slice(2)

if (subject !== 'guard' && subject !== 'provider') console.log(help)
else process.exitCode = (await judges[subject](console.log, part)) === 0 ? 0 : 1
