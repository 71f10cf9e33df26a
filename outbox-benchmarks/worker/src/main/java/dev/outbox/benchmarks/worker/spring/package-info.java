/** What contestants that are Spring Boot applications have in common. */
@NullMarked
package dev.outbox.benchmarks.worker.spring;

import org.jspecify.annotations.NullMarked;
