/** Configures the outbox from the properties, beans and DataSource of a Spring Boot application. */
@NullMarked
package dev.outbox.spring.autoconfigure;

import org.jspecify.annotations.NullMarked;
