package dev.outbox.spring.autoconfigure.tracing;

import dev.outbox.EventHeadersContributor;
import dev.outbox.HandlerInterceptor;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Tenant of a request, which follows the events of the request into their handlers. */
@Configuration(proxyBeanMethods = false)
class Tenants {

    @Bean
    EventHeadersContributor tenantHeader() {
        return (event, headers) -> {
            String tenant = Tenant.current();
            if (tenant == null) {
                throw new IllegalStateException("events are published on behalf of a tenant");
            }
            headers.put("tenant", tenant);
        };
    }

    @Bean
    HandlerInterceptor tenantOfEvent() {
        return (call, chain) -> {
            String tenant = call.events().get(0).headers().get("tenant");
            Tenant.call(tenant, () -> {
                chain.proceed();
                return null;
            });
        };
    }

    /** Tenant that the thread works for. */
    static final class Tenant {

        private static final ThreadLocal<@Nullable String> CURRENT = new ThreadLocal<>();

        private Tenant() {}

        static @Nullable String current() {
            return CURRENT.get();
        }

        static <T> T call(@Nullable String tenant, Callable<T> work) throws Exception {
            CURRENT.set(tenant);
            try {
                return work.call();
            } finally {
                CURRENT.remove();
            }
        }
    }
}
