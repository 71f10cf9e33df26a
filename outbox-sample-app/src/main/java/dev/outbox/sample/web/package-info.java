/** What the HTTP APIs of all contexts have in common. */
@NullMarked
package dev.outbox.sample.web;

import org.jspecify.annotations.NullMarked;
