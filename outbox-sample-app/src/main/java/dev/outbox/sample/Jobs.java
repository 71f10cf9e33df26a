package dev.outbox.sample;

import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Profile;
import org.springframework.scheduling.annotation.EnableScheduling;

/** Enables the scheduled jobs, except in a process that only answers requests. */
@Configuration(proxyBeanMethods = false)
@EnableScheduling
@Profile("!web")
final class Jobs {}
