import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'
import { checks } from './checks/all-checks.ts'
import { type Check, type ProgramName, programs } from './checks/check.ts'

// `npm run test:deploy`: checks that need more than npm installs. A check without its programs is left
// out, and the first lines say so. Arguments choose checks by name; with `--all`, a missing program ends it at once.

const root = join(import.meta.dirname, '..')
const folders = (process.env.PATH ?? '').split(delimiter)

function isInstalled(program: ProgramName): boolean {
  return folders.some((folder) => {
    try {
      accessSync(join(folder, program), constants.X_OK)
      return true
    } catch {
      return false
    }
  })
}

const args = process.argv.slice(2)
const names = args.filter((one) => one !== '--all')
const unknown = names.filter((name) => !checks.some((check) => check.name === name))
if (unknown.length > 0) {
  console.error(
    `no such check: ${unknown.join(', ')}. Use: ${checks.map((one) => one.name).join(', ')}`,
  )
  process.exitCode = 2
} else await runChecks(checks.filter(({ name }) => names.length === 0 || names.includes(name)))

async function runChecks(chosen: readonly Check[]): Promise<void> {
  const complete: Check[] = []
  for (const check of chosen) {
    const missing = check.programs
      .filter((one) => !isInstalled(one))
      .map((program) => `${program} (${programs[program]})`)
    const other = await check.lacks?.(process.env)
    if (other !== undefined) missing.push(other)
    if (missing.length === 0) complete.push(check)
    else console.log(`left out: ${check.name}. It needs ${missing.join(' and ')}`)
  }
  if (complete.length < chosen.length && args.includes('--all')) {
    process.exitCode = 1
    return
  }
  for (const check of complete) {
    try {
      for (const line of await check.run(root, process.env))
        console.log(`ok: ${check.name}: ${line}`)
    } catch (error) {
      console.error(`failed: ${check.name}: ${(error as Error).message}`)
      process.exitCode = 1
    }
  }
}
