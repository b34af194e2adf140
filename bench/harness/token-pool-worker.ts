import { parentPort, workerData } from 'node:worker_threads'
import { accessToken } from './access-token.ts'
import type { Scene } from './scene.ts'

const { scene, count }: { scene: Scene; count: number } = workerData
const lines = Array.from({ length: count }, () => `${accessToken(scene)}\n`)
parentPort?.postMessage(lines.join(''))
