import type { Storage } from '../../src/storage/storage.ts'

/** An empty store: each call of `open` is another replica that shares it. */
export type FreshStorage = () => Promise<{ open(): Promise<Storage> }>
