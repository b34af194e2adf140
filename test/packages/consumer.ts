import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { npm, peerFolder } from './program.ts'
import { tarballOf } from './tarball.ts'

/** A user's project, in an empty folder outside the repository. */
export class Consumer implements Disposable {
  readonly folder = mkdtempSync(join(tmpdir(), 'greeting-consumer-'))

  constructor(manifest: object = { type: 'module' }) {
    this.write('package.json', JSON.stringify({ name: 'consumer', private: true, ...manifest }))
  }

  /** Installs the packed package, and nothing else. */
  install(name: string): this {
    npm(['install', '--prefer-offline', '--no-audit', '--no-fund', tarballOf(name)], this.folder)
    return this
  }

  /** Adds packages of these tests, by name or as `name: folder`. */
  add(packages: Readonly<Record<string, string>>): this {
    for (const [name, source] of Object.entries(packages)) {
      const link = join(this.folder, 'node_modules', name)
      mkdirSync(dirname(link), { recursive: true })
      symlinkSync(join(peerFolder, source), link, 'junction')
    }
    return this
  }

  write(file: string, text: string): string {
    const path = join(this.folder, file)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, text)
    return path
  }

  copy(source: string, file: string): void {
    cpSync(source, join(this.folder, file), { recursive: true })
  }

  [Symbol.dispose](): void {
    rmSync(this.folder, { recursive: true, force: true })
  }
}
