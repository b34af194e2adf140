import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { cp, mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parse } from 'yaml'
import { freePort } from '../../fixtures/free-port.ts'

/** The workflows of `examples/ci`. */
export const ciWorkflows = ['github-actions.yml', 'gitlab-ci.yml'] as const

/** A copy of `examples/ci`, as a user has it beside the tests. */
export class CiFolder {
  readonly path: string
  readonly #variables: Readonly<Record<string, string>>

  private constructor(path: string, variables: Readonly<Record<string, string>>) {
    this.path = path
    this.#variables = variables
  }

  /**
   * Copies the folder, with a free port.
   *
   * @param variables those of the repository or project, such as `GREETING_PACKAGE`
   */
  static async copyTo(path: string, variables: Readonly<Record<string, string>>) {
    await cp(join(import.meta.dirname, '../../../examples/ci'), path, { recursive: true })
    const settings = await readFile(join(path, 'test.env'), 'utf8')
    const port = await freePort()
    await writeFile(join(path, 'test.env'), settings.replace(/(?<=^AUTH_URL=.*:)\d+$/m, `${port}`))
    // The machine of a runner installs its toolchain. That of a test has it.
    await mkdir(join(path, 'bin'))
    await writeFile(join(path, 'bin/apt-get'), '#!/bin/sh\n', { mode: 0o755 })
    return new CiFolder(path, variables)
  }

  /** The shells of a job, one after the other: each has the text that the runner gives it. */
  async shellsOf(workflow: (typeof ciWorkflows)[number], language: string): Promise<CiShell[]> {
    const text = await readFile(join(this.path, workflow), 'utf8')
    if (workflow === 'gitlab-ci.yml') {
      const { [language]: job, '.test': base } = parse(text)
      const script = [...base.before_script, ...job.script].join('\n')
      return [{ script, env: { ...this.#variables, CI_JOB_NAME: language } }]
    }
    const { env, steps, strategy }: GitHubJob = parse(text).jobs.test
    const matrix = strategy.matrix.include.find((row) => row.language === language)
    const contexts: Contexts = { matrix, vars: this.#variables }
    const given = Object.entries(env).map(([name, value]) => [name, evaluate(value, contexts)])
    return steps.flatMap(({ run }) =>
      run === undefined ? [] : { script: evaluate(run, contexts), env: Object.fromEntries(given) },
    )
  }

  /**
   * Runs a script as a runner does, and returns its output.
   *
   * @throws {Error} with the output, when it fails
   */
  async run({ script, env }: CiShell, base: NodeJS.ProcessEnv): Promise<string> {
    const child = spawn('bash', ['-eo', 'pipefail', '-c', script], {
      cwd: this.path,
      env: { ...base, ...env, PATH: `${join(this.path, 'bin')}:${base.PATH}` },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let output = ''
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (chunk: string) => {
        output += chunk
      })
    const [code] = await once(child, 'close')
    if (code !== 0) throw new Error(`exit code ${code} of ${script}\n${output}`)
    return output
  }

  /** Ends the identity provider, as a runner ends what a job has left. */
  async [Symbol.asyncDispose](): Promise<void> {
    const file = join(this.path, 'identity-provider.pid')
    if (!existsSync(file)) return
    const pid = Number(await readFile(file, 'utf8'))
    // The ID 0 is the whole process group.
    assert.ok(pid > 0, file)
    if (isRunning(pid)) process.kill(pid)
    while (isRunning(pid)) await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

/** True if a process with this ID is running. */
export function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

/** A script that a runner gives to one shell. */
type CiShell = { readonly script: string; readonly env: Readonly<Record<string, string>> }

type GitHubJob = {
  readonly env: Readonly<Record<string, string>>
  readonly steps: readonly { readonly run?: string }[]
  readonly strategy: {
    readonly matrix: { readonly include: readonly Readonly<Record<string, string>>[] }
  }
}

type Contexts = {
  readonly matrix: Readonly<Record<string, string>> | undefined
  readonly vars: Readonly<Record<string, string>>
}

/** Replaces the expressions of GitHub Actions. */
const evaluate = (text: string, contexts: Contexts) =>
  text.replace(/\$\{\{ (matrix|vars)\.(\w+) \}\}/g, (expression, context, name) => {
    const value = contexts[context as keyof Contexts]?.[name]
    if (value === undefined) throw new Error(`no value of ${expression}`)
    return value
  })

// `node ci-job.ts LANGUAGE PACKAGE` runs the jobs of a language in the working folder, and prints their output.
if (import.meta.main) {
  const [language = '', tarball = ''] = process.argv.slice(2)
  const variables = { GREETING_PACKAGE: tarball, GUARD_PACKAGE: '' }
  // The settings of the running system would change those of the job.
  const kept = /^(PATH|HOME|LANG|GO\w+|MAVEN_OPTS|PYTHON\w+|DOTNET_\w+|NODE_EXTRA_CA_CERTS)$/
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => kept.test(name)))
  for (const workflow of ciWorkflows) {
    await using folder = await CiFolder.copyTo(join(process.cwd(), workflow), variables)
    process.stdout.write(`\n# ${workflow}\n`)
    for (const shell of await folder.shellsOf(workflow, language))
      process.stdout.write(await folder.run(shell, env))
  }
}
