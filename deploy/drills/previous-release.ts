import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { mustRun, npm } from '../../test/packages/program.ts'
import { targets } from '../image/targets.ts'

const migrationsFile = 'packages/directory/src/storage/sql/migrations/migrations.ts'

/** An earlier commit of this repository, installed in a separate folder. */
export type PreviousRelease = AsyncDisposable & {
  readonly name: string
  readonly root: string
  /** Whether it stops at once at a stop signal, because it does not know STOP_DELAY_SECONDS. */
  readonly isRemovedFirst: boolean
}

/**
 * Checks out and installs an earlier commit.
 *
 * @param commit default: the commit before the one that added the last migration, so that the upgrade
 *   migrates the store; the commit of the first tables, as long as no migration follows them
 * @throws {Error} when the clone does not have the commit, or the registry cannot be reached
 */
export async function previousRelease(root: string, commit?: string): Promise<PreviousRelease> {
  const git = (...args: string[]) => mustRun('git', args, root).trim()
  const chosen = git('rev-parse', commit ?? lastUpgrade(root, git))
  const folder = mkdtempSync(join(tmpdir(), 'greeting-previous-'))
  const remove = async () => {
    git('worktree', 'remove', '--force', folder)
    rmSync(folder, { recursive: true, force: true })
  }
  try {
    git('worktree', 'add', '--detach', folder, chosen)
    const flags = ['--omit=dev', '--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline']
    npm(['ci', ...flags, ...targets.flatMap(({ path }) => ['--workspace', path])], folder)
    const knowsStopDelay = ['setting-schemas.ts', 'settings/setting-schemas.ts']
      .map((name) => join(folder, 'packages/http-service/src', name))
      .some((path) => existsSync(path) && readFileSync(path, 'utf8').includes('stopDelaySeconds'))
    return {
      name: git('log', '-1', '--format=%h (%s)', chosen),
      root: folder,
      isRemovedFirst: !knowsStopDelay,
      [Symbol.asyncDispose]: remove,
    }
  } catch (cause) {
    await remove()
    throw cause
  }
}

function lastUpgrade(root: string, git: (...args: string[]) => string): string {
  const names = [...readFileSync(join(root, migrationsFile), 'utf8').matchAll(/^ {2}'([\w-]+)'/gm)]
  const [, last = ''] = names.at(-1) ?? []
  const [commit] = git(
    'log',
    '--reverse',
    '--format=%H',
    `-S'${last}'`,
    '--',
    // Also where the file was before a move.
    `:(glob)**/${basename(migrationsFile)}`,
  ).split('\n')
  if (!commit)
    throw new Error(`no commit of this clone adds the migration ${last}: fetch its history`)
  return names.length === 1 ? commit : `${commit}^`
}
