package dev.outbox.spring.autoconfigure;

import dev.outbox.internal.runtime.RuntimeSettings.Schemas;
import javax.sql.DataSource;

/** Where the tables are. */
record OutboxDatabase(DataSource dataSource, Schemas schemas) {}
