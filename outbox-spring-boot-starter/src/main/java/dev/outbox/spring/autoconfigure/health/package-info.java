/** Says whether the outbox runs, to those who ask Spring Boot's health endpoint. */
@NullMarked
package dev.outbox.spring.autoconfigure.health;

import org.jspecify.annotations.NullMarked;
