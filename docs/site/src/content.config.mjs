import { defineCollection } from 'astro:content'
import { docsSchema } from '@astrojs/starlight/schema'
import { glob } from 'astro/loaders'

export const collections = {
  docs: defineCollection({
    loader: glob({ base: './.pages', pattern: '**/*.md' }),
    schema: docsSchema(),
  }),
}
