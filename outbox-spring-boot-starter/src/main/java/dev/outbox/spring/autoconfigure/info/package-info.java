/** Contributes the configuration of the outbox to Spring Boot's info endpoint. */
@NullMarked
package dev.outbox.spring.autoconfigure.info;

import org.jspecify.annotations.NullMarked;
