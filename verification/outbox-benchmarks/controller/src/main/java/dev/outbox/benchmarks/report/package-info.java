/** Results: every run as JSON, the medians as Markdown and as charts. */
@NullMarked
package dev.outbox.benchmarks.report;

import org.jspecify.annotations.NullMarked;
