import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { FailoverScene, type TokenFigures } from '../drills/failover-scene.ts'
import { PatroniCluster, systemPostgres } from '../running/patroni.ts'
import type { Check } from './check.ts'

const electedWithinMs = 90_000

/** Kills the leader of a Patroni cluster under load, lets it rejoin, and then plans a switchover. */
export const patroni: Check = {
  name: 'patroni',
  programs: ['patroni', 'etcd', 'haproxy'],
  lacks: async () =>
    systemPostgres() === undefined ? 'PostgreSQL (apt-get install postgresql)' : undefined,
  run: async (root) => {
    await using cluster = await PatroniCluster.start()
    const urlOf = (port: number) => `postgres://postgres@127.0.0.1:${port}/postgres`
    const DATABASE_URL = urlOf(cluster.primaryPort)
    await using scene = await FailoverScene.start(root, [
      { DATABASE_URL, DATABASE_READ_URL: urlOf(cluster.replicaPort) },
      { DATABASE_URL },
    ])

    const former = await cluster.leader()
    assert.ok(former)
    let electedMs = 0
    const killed = await scene.during(async () => {
      const startedMs = performance.now()
      await cluster.kill(former)
      await untilOtherLeader(cluster, former)
      electedMs = performance.now() - startedMs
    })
    const afterKill = await scene.assertKept()

    const moved = await scene.during(async () => {
      await cluster.resume(former)
      await cluster.untilRejoined(former)
      const leader = await cluster.leader()
      assert.ok(leader)
      cluster.switchOver()
      await untilOtherLeader(cluster, leader)
      await cluster.untilRejoined(leader)
    })
    const way = cluster.wasRewound(former) ? 'with' : 'without'
    return [
      `the leader was killed, and Patroni promoted another after ${Math.round(electedMs)} ms: ${figuresOf(killed)}`,
      afterKill,
      `the former leader rejoined ${way} pg_rewind, and the leader was switched: ${figuresOf(moved)}`,
      await scene.assertKept(),
    ]
  },
}

async function untilOtherLeader(cluster: PatroniCluster, former: string) {
  const startedMs = performance.now()
  for (;;) {
    const leader = await cluster.leader()
    if (leader !== undefined && leader !== former) return
    assert.ok(performance.now() - startedMs < electedWithinMs, 'Patroni promoted no other leader')
    await sleep(50)
  }
}

/** The first server has a standby for reading. */
function figuresOf([withStandby, without]: readonly TokenFigures[]): string {
  assert.ok(withStandby && without)
  assert.equal(withStandby.failed, 0, 'tokens failed although a standby was there')
  const line = ({ requests, failed, longestGapMs }: TokenFigures) =>
    `${failed} of ${requests} token requests failed, longest gap ${longestGapMs} ms`
  return `with DATABASE_READ_URL ${line(withStandby)}; without it ${line(without)}`
}
