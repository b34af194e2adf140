import type { Storage } from '../../src/storage/storage.ts'

/** An empty store. Each call of `open` returns another replica that shares it. */
export type FreshStorage = () => Promise<{ open(): Promise<Storage> }>
