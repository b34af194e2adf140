import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import type { LoadReport } from '../drills/load.ts'
import { previousRelease } from '../drills/previous-release.ts'
import {
  newKeyEncryptionKey,
  type RollingScene,
  startRollingScene,
} from '../drills/rolling-scene.ts'
import type { Check } from './check.ts'

/** The time under load before and after each drill, in milliseconds. */
const calmMs = 3000

/** Replaces every replica of both services under load. No request may fail, and no change may be lost. */
export const rollingRestart: Check = {
  name: 'rolling-restart',
  programs: [],
  run: async (root) => {
    const key = newKeyEncryptionKey()
    await using scene = await startRollingScene(root, key)
    await sleep(calmMs)
    await scene.identityProviders.roll(scene.launch.identityProvider(root, key))
    await scene.apis.roll(scene.launch.api(root))
    return [await lineOf(scene, 'three replicas of each service were replaced')]
  },
}

/** Replaces the release before the last migration by this one, under the same load. */
export const rollingUpgrade: Check = {
  name: 'rolling-upgrade',
  programs: ['git'],
  run: async (root, { PREVIOUS: previous }) => {
    await using former = await previousRelease(root, previous)
    const key = newKeyEncryptionKey()
    await using scene = await startRollingScene(former.root, key)
    await sleep(calmMs)
    const { isRemovedFirst } = former
    await scene.identityProviders.roll(scene.launch.identityProvider(root, key), { isRemovedFirst })
    await scene.apis.roll(scene.launch.api(root), { isRemovedFirst })
    return [await lineOf(scene, `${former.name} was replaced by this release`)]
  },
}

/** Encrypts the signing keys with another key-encryption key, and gives that key to each replica in turn. */
export const keyEncryptionKeyRotation: Check = {
  name: 'key-encryption-key-rotation',
  programs: [],
  run: async (root) => {
    const [key, next] = [newKeyEncryptionKey(), newKeyEncryptionKey()]
    await using scene = await startRollingScene(root, key)
    await sleep(calmMs)
    const answer = await scene.administrator.send(
      'management',
      'POST',
      '/management/keys/reencrypt',
      {
        keyEncryptionKey: next,
      },
    )
    assert.equal(answer.status, 200, await answer.text())
    await sleep(calmMs)
    await scene.identityProviders.roll(scene.launch.identityProvider(root, next))
    return [await lineOf(scene, 'the key-encryption key was replaced')]
  },
}

/** Ends the load, and asserts that no request failed and no acknowledged change is missing. */
async function lineOf(scene: RollingScene, event: string): Promise<string> {
  await sleep(calmMs)
  const report = await scene.load.stop()
  const names = await scene.administrator.applicationNames()
  const lost = report.acknowledged.filter((name) => !names.has(name))
  assert.deepEqual(lost, [], 'acknowledged changes are lost')
  assert.deepEqual(report.failures, [], figuresOf(report))
  return `${event}: ${figuresOf(report)}`
}

const figuresOf = ({ requests, failures, acknowledged, quantileMs }: LoadReport): string => {
  const [median, p99, longest] = [0.5, 0.99, 1].map((part) => `${Math.round(quantileMs(part))} ms`)
  return `${requests} requests, ${failures.length} failed; ${acknowledged.length} changes, each found afterwards; median ${median}, p99 ${p99}, longest ${longest}`
}
