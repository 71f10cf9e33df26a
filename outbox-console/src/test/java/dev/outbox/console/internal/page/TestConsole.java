package dev.outbox.console.internal.page;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.mock;
import static org.springframework.test.web.servlet.request.MockMvcRequestBuilders.get;

import dev.outbox.console.internal.web.ConsoleSettings;
import dev.outbox.operations.OutboxInspector;
import dev.outbox.operations.OutboxOperations;
import dev.outbox.operations.Replays;
import dev.outbox.operations.ScheduledEvents;
import dev.outbox.spring.internal.Rights;
import java.net.URI;
import org.springframework.mock.web.MockHttpServletResponse;
import org.springframework.test.web.servlet.MockMvc;
import org.springframework.test.web.servlet.request.MockHttpServletRequestBuilder;
import org.springframework.test.web.servlet.setup.MockMvcBuilders;

/** Console of an outbox that the test describes. */
final class TestConsole {

    final OutboxInspector inspector = mock();
    final OutboxOperations operations = mock();
    final Replays replays = mock();
    final ScheduledEvents scheduled = mock();
    private final MockMvc pages;

    private TestConsole(ConsoleSettings settings) {
        pages = MockMvcBuilders.routerFunctions(
                        new Console(settings, inspector, operations, replays, scheduled).routes())
                .build();
    }

    /** Returns a console without Spring Security and without payloads. */
    static TestConsole insecure() {
        return new TestConsole(new ConsoleSettings("/outbox", "shop", null, false));
    }

    static TestConsole secured(Rights rights) {
        return new TestConsole(new ConsoleSettings("/outbox", "shop", rights, true));
    }

    MockHttpServletResponse send(MockHttpServletRequestBuilder request) throws Exception {
        return pages.perform(request).andReturn().getResponse();
    }

    /** Sends a form of the console. */
    MockHttpServletResponse submit(MockHttpServletRequestBuilder form) throws Exception {
        return send(form.header("Sec-Fetch-Site", "same-origin"));
    }

    String page(String address) throws Exception {
        return page(address, 200);
    }

    String page(String address, int status) throws Exception {
        MockHttpServletResponse response = send(get(URI.create(address)));
        assertThat(response.getStatus()).as(response.getContentAsString()).isEqualTo(status);
        return response.getContentAsString();
    }
}
