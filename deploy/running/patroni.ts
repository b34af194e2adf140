import {
  chownSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '../../test/fixtures/free-port.ts'
import { mustRun } from '../../test/packages/program.ts'
import { type Running, startProcess } from './process.ts'

/** PostgreSQL refuses to run as root. For root, Patroni and PostgreSQL run as the user `nobody`. */
const unprivileged = { uid: 65534, gid: 65534 }
const isRoot = process.getuid?.() === 0
const user = isRoot ? unprivileged : {}

const memberCount = 3
const readyWithinMs = 60_000
const scope = 'greeting'

/** The programs of the newest PostgreSQL of the system: Patroni needs some that npm does not have. */
export const systemPostgres = (): string | undefined =>
  globSync('/usr/lib/postgresql/*/bin/pg_rewind')
    .map((file) => file.replace(/\/pg_rewind$/, ''))
    .sort((a, b) => a.localeCompare(b, 'en', { numeric: true }))
    .at(-1)

const options = {
  // The shortest times that Patroni permits.
  ttl: 20,
  loop_wait: 1,
  retry_timeout: 3,
  synchronous_mode: true,
  postgresql: {
    use_pg_rewind: true,
    // The drill kills processes, but does not cut the power.
    parameters: { fsync: 'off', shared_buffers: '16MB', max_connections: 100 },
  },
}

type Place = { readonly name: string; readonly postgres: number; readonly rest: number }

/** A member as Patroni describes it. */
type MemberState = {
  readonly name: string
  readonly role: string
  readonly state: string
  readonly timeline?: number
}

/** Three PostgreSQL servers under Patroni with etcd, and HAProxy before them, as its documentation describes. */
export class PatroniCluster implements AsyncDisposable {
  readonly #folder: string
  readonly #programs: string
  readonly #etcd: number
  readonly #places: readonly Place[]
  readonly #members = new Map<string, Running>()
  readonly #others: Running[] = []
  /** The port of HAProxy for the leader. */
  readonly primaryPort: number
  /** The port of HAProxy for the other members. */
  readonly replicaPort: number

  private constructor(folder: string, ports: readonly number[], places: readonly Place[]) {
    const [etcd = 0, primary = 0, replica = 0] = ports
    this.#folder = folder
    this.#programs = systemPostgres() ?? ''
    this.#etcd = etcd
    this.#places = places
    this.primaryPort = primary
    this.replicaPort = replica
  }

  /** Starts all programs, and waits until the leader has a synchronous standby. */
  static async start(): Promise<PatroniCluster> {
    const folder = mkdtempSync(join(tmpdir(), 'greeting-patroni-'))
    if (isRoot) chownSync(folder, unprivileged.uid, unprivileged.gid)
    const ports = [await freePort(), await freePort(), await freePort()]
    const places: Place[] = []
    for (let index = 0; index < memberCount; index += 1)
      places.push({
        name: `member-${index}`,
        postgres: await freePort(),
        rest: await freePort(),
      })
    const cluster = new PatroniCluster(folder, ports, places)
    try {
      await cluster.#startEtcd()
      for (const { name } of places) await cluster.resume(name)
      await cluster.#startProxy()
      await cluster.until('a synchronous standby', (all) =>
        all.some(({ role }) => role === 'sync_standby'),
      )
      return cluster
    } catch (error) {
      await cluster[Symbol.asyncDispose]()
      throw error
    }
  }

  async #startEtcd(): Promise<void> {
    const url = `http://127.0.0.1:${this.#etcd}`
    const peer = `http://127.0.0.1:${await freePort()}`
    const flags = [
      ...['--data-dir', join(this.#folder, 'etcd')],
      ...['--listen-client-urls', url, '--advertise-client-urls', url],
      ...['--listen-peer-urls', peer, '--initial-advertise-peer-urls', peer],
      ...['--initial-cluster', `default=${peer}`],
    ]
    const isReady = () => isOk(`${url}/health`)
    this.#others.push(await startProcess(['etcd', ...flags], {}, { isReady }))
  }

  /** Sends each connection to the member that Patroni names, and closes those to a former leader. */
  async #startProxy(): Promise<void> {
    const servers = this.#places.map(
      ({ name, postgres, rest }) => `server ${name} 127.0.0.1:${postgres} check port ${rest}`,
    )
    const listen = (path: string, port: number) => [
      `listen ${path}`,
      `bind 127.0.0.1:${port}`,
      `option httpchk OPTIONS /${path}`,
      'http-check expect status 200',
      'default-server inter 500ms fall 2 rise 1 on-marked-down shutdown-sessions',
      ...servers,
    ]
    const lines = [
      'defaults',
      'mode tcp',
      ...['timeout connect 1s', 'timeout client 30m', 'timeout server 30m', 'timeout check 1s'],
      ...listen('primary', this.primaryPort),
      ...listen('replica', this.replicaPort),
    ]
    const file = join(this.#folder, 'haproxy.cfg')
    writeFileSync(file, `${lines.join('\n')}\n`)
    const isReady = () => Promise.resolve(true)
    this.#others.push(await startProcess(['haproxy', '-db', '-f', file], {}, { isReady }))
  }

  /** Starts Patroni for a member, which starts or rejoins its server. */
  async resume(name: string): Promise<void> {
    const place = this.#placeOf(name)
    const isReady = () => isOk(`http://127.0.0.1:${place.rest}/health`)
    const member = await startProcess(
      ['patroni', this.#configure(place)],
      {},
      {
        folder: this.#folder,
        isReady,
        user,
      },
    )
    this.#members.set(name, member)
  }

  /** Writes the settings of a member. JSON is YAML too. */
  #configure({ name, postgres, rest }: Place): string {
    const file = join(this.#folder, `${name}.yml`)
    const restAddress = `127.0.0.1:${rest}`
    const address = `127.0.0.1:${postgres}`
    const settings = {
      scope,
      name,
      restapi: { listen: restAddress, connect_address: restAddress },
      etcd3: { host: `127.0.0.1:${this.#etcd}` },
      bootstrap: { dcs: options, initdb: [{ encoding: 'UTF8' }, { locale: 'C' }] },
      postgresql: {
        listen: address,
        connect_address: address,
        data_dir: this.#dataOf(name),
        bin_dir: this.#programs,
        pgpass: join(this.#folder, `${name}.pgpass`),
        authentication: {
          superuser: { username: 'postgres' },
          replication: { username: 'replicator' },
        },
        parameters: { unix_socket_directories: '' },
        pg_hba: ['host all all 127.0.0.1/32 trust', 'host replication all 127.0.0.1/32 trust'],
      },
      log: { dir: this.#logOf(name) },
      watchdog: { mode: 'off' },
    }
    mkdirSync(this.#logOf(name), { recursive: true })
    if (isRoot) chownSync(this.#logOf(name), unprivileged.uid, unprivileged.gid)
    writeFileSync(file, JSON.stringify(settings))
    return file
  }

  /** Ends Patroni and PostgreSQL of a member at once, as a machine that loses its power. */
  async kill(name: string): Promise<void> {
    const member = this.#members.get(name)
    if (member === undefined) throw new TypeError(`${name} does not run.`)
    this.#members.delete(name)
    for (const pid of [member.pid, ...this.#serverProcesses(name)]) end(pid)
    await member.stop()
  }

  /** Lets Patroni choose another leader, as its operator does. */
  switchOver(): void {
    const file = join(this.#folder, `${this.#places[0]?.name}.yml`)
    mustRun('patronictl', ['-c', file, 'switchover', '--force', scope], this.#folder)
  }

  /** The members, as those that answer see them. */
  async members(): Promise<readonly MemberState[]> {
    for (const { rest } of this.#places) {
      const answer = await fetch(`http://127.0.0.1:${rest}/cluster`).catch(() => undefined)
      if (answer?.ok) return ((await answer.json()) as { members: MemberState[] }).members
    }
    throw new Error('no member answers')
  }

  /** The name of the leader that answers as such. Undefined while there is none. */
  async leader(): Promise<string | undefined> {
    for (const { name, rest } of this.#places)
      if (await isOk(`http://127.0.0.1:${rest}/primary`)) return name
    return undefined
  }

  /** Waits until a member follows the leader. */
  untilRejoined(name: string): Promise<void> {
    return this.until(`return of ${name}`, (all) => {
      const timeline = all.find(({ role }) => role === 'leader')?.timeline
      return all.some(
        (one) =>
          one.name === name &&
          one.timeline === timeline &&
          ['running', 'streaming'].includes(one.state),
      )
    })
  }

  /** Whether Patroni took back what only this member had written. */
  wasRewound(name: string): boolean {
    return readFileSync(join(this.#logOf(name), 'patroni.log'), 'utf8').includes(
      'running pg_rewind',
    )
  }

  /** Waits until the members are as expected. */
  async until(what: string, isSo: (all: readonly MemberState[]) => boolean): Promise<void> {
    const startedMs = performance.now()
    for (;;) {
      const all = await this.members()
      if (isSo(all)) return
      if (performance.now() - startedMs > readyWithinMs)
        throw new Error(`no ${what} within ${readyWithinMs} ms: ${JSON.stringify(all)}`)
      await sleep(100)
    }
  }

  #placeOf(name: string): Place {
    const place = this.#places.find((one) => one.name === name)
    if (place === undefined) throw new TypeError(`no member ${name}`)
    return place
  }

  #dataOf(name: string): string {
    return join(this.#folder, name)
  }

  #serverProcesses(name: string): readonly number[] {
    try {
      const file = join(this.#dataOf(name), 'postmaster.pid')
      const [pid] = readFileSync(file, 'utf8').split('\n')
      const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
      return [Number(pid), ...children.trim().split(' ').map(Number)]
    } catch {
      return []
    }
  }

  #logOf(name: string): string {
    return join(this.#folder, `${name}.log`)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const name of [...this.#members.keys()]) await this.kill(name)
    for (const one of this.#others.toReversed()) await one.stop()
    rmSync(this.#folder, { recursive: true })
  }
}

function end(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

const isOk = (url: string): Promise<boolean> =>
  fetch(url).then(
    ({ ok }) => ok,
    () => false,
  )
