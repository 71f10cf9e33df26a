/** What all pages share: rendering, links, the check of requests, and files for the browser. */
@NullMarked
package dev.outbox.console.internal.web;

import org.jspecify.annotations.NullMarked;
