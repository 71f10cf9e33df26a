/** Builds the outbox from what a Spring Boot application has: its properties, its beans and its DataSource. */
@NullMarked
package dev.outbox.spring.autoconfigure;

import org.jspecify.annotations.NullMarked;
