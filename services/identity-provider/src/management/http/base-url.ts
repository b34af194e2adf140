import { z } from 'zod'

/** The origin, and perhaps a path, that an API is mounted at. */
export const baseUrl = z
  .url({ protocol: /^https?$/ })
  .refine((url) => !url.endsWith('/'), 'must not end with a slash')
