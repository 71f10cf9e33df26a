/** Contributes the state of the outbox to Spring Boot's health endpoint. */
@NullMarked
package dev.outbox.spring.autoconfigure.health;

import org.jspecify.annotations.NullMarked;
