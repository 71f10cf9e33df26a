/** Shared code of contestants that are Spring Boot applications. */
@NullMarked
package dev.outbox.benchmarks.worker.spring;

import org.jspecify.annotations.NullMarked;
