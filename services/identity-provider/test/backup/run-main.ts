import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'

const main = join(import.meta.dirname, '../../src/main.ts')

/** Runs a command of the main file; returns its exit code and its outputs. */
export async function runMain(args: readonly string[], environment: Record<string, string>) {
  const child = spawn(process.execPath, [main, ...args], {
    env: { NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const [out, err]: [string[], string[]] = [[], []]
  child.stdout.on('data', (text) => out.push(String(text)))
  child.stderr.on('data', (text) => err.push(String(text)))
  const [code] = (await once(child, 'close')) as [number | null]
  return { code, out: out.join(''), err: err.join('') }
}
