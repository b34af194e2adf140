import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { firstDifference, type KnownValues, stableTranscript } from './transcript.ts'

/** A script ends with this code when its toolchain is missing. Its last row on standard error is the reason. */
const missingToolchain = 77

/** The result of one program. */
export type Outcome = {
  readonly outcome: 'passed' | 'failed' | 'left out'
  /** The reason, unless the program passed. */
  readonly detail: string
}

/** The environment of one run, and the values that its transcript names. */
export type Run = {
  readonly env: NodeJS.ProcessEnv
  readonly cwd: string
  readonly known: KnownValues
  readonly maxDurationMs: number
  /** Writes the expected transcript instead of comparing it. */
  readonly isRecorded: boolean
}

/** A program that was not written here: a folder with `run.sh` and the transcript that it must print. */
export class Program {
  readonly name: string
  readonly folder: string

  constructor(parent: string, name: string) {
    this.name = name
    this.folder = join(parent, name)
  }

  /** All programs below a folder, in the order of their names. */
  static allOf(parent: string): Program[] {
    return readdirSync(parent)
      .filter((name) => existsSync(join(parent, name, 'run.sh')))
      .sort()
      .map((name) => new Program(parent, name))
  }

  /** Installs and runs the program, and compares what it printed. */
  async run({ env, cwd, known, maxDurationMs, isRecorded }: Run): Promise<Outcome> {
    const child = spawn('bash', [join(this.folder, 'run.sh')], {
      env,
      cwd,
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: maxDurationMs,
    })
    let out = ''
    let err = ''
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      out += chunk
    })
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
      err = (err + chunk).slice(-maxErrorChars)
    })
    const [code, signal] = (await once(child, 'close')) as [number | null, string | null]
    if (code === missingToolchain) return { outcome: 'left out', detail: lastRow(err) }
    const transcript = stableTranscript(out, known)
    if (code !== 0) {
      const end = signal === null ? `exit code ${code}` : `ended by ${signal}`
      return { outcome: 'failed', detail: `${end}\n${transcript}${err}` }
    }
    if (isRecorded) writeFileSync(this.transcriptFile, transcript)
    const difference = firstDifference(readFileSync(this.transcriptFile, 'utf8'), transcript)
    if (difference === undefined) return { outcome: 'passed', detail: '' }
    return { outcome: 'failed', detail: `${difference}\n${err}` }
  }

  /** Whether the system of the program needs a lab: the names of these folders begin with `lab-`. */
  get needsLab(): boolean {
    return this.name.startsWith('lab-')
  }

  /** Whether the program calls an MCP server: the names of these folders begin with `mcp-`. */
  get needsMcp(): boolean {
    return this.name.startsWith('mcp-')
  }

  /** Host names of Microsoft in the code of the program, one per row of `hosts.txt`. */
  get hosts(): readonly string[] {
    return this.#rowsOf('hosts.txt')
  }

  /** More arguments of `greeting start`, one per row of `start.txt`. */
  get startArguments(): readonly string[] {
    return this.#rowsOf('start.txt')
  }

  #rowsOf(name: string): readonly string[] {
    const file = join(this.folder, name)
    return existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : []
  }

  get transcriptFile(): string {
    return join(this.folder, 'expected.txt')
  }
}

const maxErrorChars = 20_000

const lastRow = (text: string) => text.trimEnd().split('\n').at(-1) ?? ''
