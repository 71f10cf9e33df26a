/** What came of it: every run as JSON, and the medians as Markdown. */
@NullMarked
package dev.outbox.benchmarks.report;

import org.jspecify.annotations.NullMarked;
