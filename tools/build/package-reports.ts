import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { apiReport } from './api-report.ts'
import { declarationFiles } from './compile.ts'

/** The published packages, by the name of their page in `tools/api-reports/`. */
export const pages = {
  guard: 'packages/guard',
  client: 'packages/client',
  testing: 'packages/testing',
  'identity-provider': 'services/identity-provider',
  api: 'services/greeting-api',
  cli: 'cli',
} as const

/** A package with its current report. */
export type PackageReport = {
  readonly page: string
  readonly name: string
  readonly report: string
}

/**
 * Compiles the declarations of the source, and describes the interface of each package.
 *
 * @throws {Error} with the messages of the compiler
 */
export function packageReports(root: string): readonly PackageReport[] {
  const folder = mkdtempSync(join(tmpdir(), 'greeting-api-'))
  try {
    const compiler = join(root, 'node_modules/typescript/bin/tsc')
    const args = [
      '--project',
      join(root, 'tools/build'),
      '--emitDeclarationOnly',
      '--sourceMap',
      'false',
    ]
    const { status, stdout } = spawnSync(
      process.execPath,
      [compiler, ...args, '--outDir', folder],
      { encoding: 'utf8' },
    )
    if (status !== 0) throw new Error(`the source does not compile:\n${stdout}`)
    const texts = new Map(
      readdirSync(folder, { recursive: true, encoding: 'utf8' })
        .filter((file) => file.endsWith('.d.ts'))
        .map((file) => [file.replaceAll('\\', '/'), readFileSync(join(folder, file), 'utf8')]),
    )
    const entries = declarationFiles(root)
    return Object.entries(pages).map(([page, path]) => {
      const manifest = JSON.parse(readFileSync(join(root, path, 'package.json'), 'utf8'))
      const { name, exports = {}, bin } = manifest
      const report = apiReport(name, { exports, bin }, path, { texts, entries })
      return { page: `tools/api-reports/${page}.md`, name, report }
    })
  } finally {
    rmSync(folder, { recursive: true })
  }
}
