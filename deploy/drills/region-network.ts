import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import type { PostgresPlace } from '../../test/fixtures/postgres-server.ts'

/** A separate network with one address. */
export type Region = {
  readonly host: string
  /** A command that runs the command after it there. */
  readonly enter: readonly string[]
}

/** PostgreSQL refuses to run as root. This user owns no files. */
const nobody = ['--setuid=65534', '--setgid=65534']

const ip = (...args: string[]) => execFileSync('ip', args, { stdio: ['ignore', 'ignore', 'pipe'] })

/** Network namespaces of Linux that a bridge connects to each other and to this process. */
export class RegionNetwork implements Disposable {
  /** Of a range for measurements: RFC 2544. */
  readonly #subnet = `198.18.${process.pid % 256}`
  readonly #bridge = `gr${process.pid}`
  #count = 1

  constructor() {
    ip('link', 'add', this.#bridge, 'type', 'bridge')
    ip('addr', 'add', `${this.#subnet}.1/24`, 'dev', this.#bridge)
    ip('link', 'set', this.#bridge, 'up')
  }

  /** Where PostgreSQL runs in a region. */
  static placeOf = ({ host, enter }: Region): PostgresPlace => ({
    host,
    enter: [...enter, ...nobody],
  })

  /** Adds a region. */
  add(): Region {
    this.#count += 1
    const [space, near] = this.#namesOf(this.#count)
    const host = `${this.#subnet}.${this.#count}`
    ip('netns', 'add', space)
    ip('link', 'add', near, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', space)
    ip('link', 'set', near, 'master', this.#bridge, 'up')
    for (const device of ['lo', 'eth0']) ip('-n', space, 'link', 'set', device, 'up')
    ip('-n', space, 'addr', 'add', `${host}/24`, 'dev', 'eth0')
    return { host, enter: ['nsenter', `--net=/run/netns/${space}`] }
  }

  /** Loses all packets to and from a region, or none. */
  cut({ host }: Region, isCut = true): void {
    const [, near] = this.#namesOf(Number(host.split('.').at(-1)))
    ip('link', 'set', near, isCut ? 'down' : 'up')
  }

  [Symbol.dispose](): void {
    for (let number = 2; number <= this.#count; number += 1) {
      const [space] = this.#namesOf(number)
      if (existsSync(`/run/netns/${space}`)) ip('netns', 'del', space)
    }
    ip('link', 'del', this.#bridge)
  }

  #namesOf = (number: number) => [`${this.#bridge}-${number}`, `${this.#bridge}v${number}`] as const
}
