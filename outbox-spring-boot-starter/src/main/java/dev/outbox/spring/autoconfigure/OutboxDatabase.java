package dev.outbox.spring.autoconfigure;

import dev.outbox.internal.runtime.RuntimeSettings.Schemas;
import javax.sql.DataSource;

/** DataSource and schemas of the outbox tables. */
record OutboxDatabase(DataSource dataSource, Schemas schemas) {}
