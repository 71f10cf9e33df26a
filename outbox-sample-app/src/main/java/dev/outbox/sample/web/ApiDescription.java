package dev.outbox.sample.web;

import io.swagger.v3.oas.annotations.OpenAPIDefinition;
import io.swagger.v3.oas.annotations.info.Info;
import org.springframework.context.annotation.Configuration;

/** Title of the OpenAPI description that springdoc generates from the controllers. */
@Configuration(proxyBeanMethods = false)
@OpenAPIDefinition(
        info =
                @Info(
                        title = "Outbox sample",
                        version = "1",
                        description = "A subscription service and its neighbours, which speak through an outbox only."
                                + " What a request leads to comes a moment later: look at /outbox, or ask again."))
final class ApiDescription {}
