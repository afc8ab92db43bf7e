#include <memory>
#include <string>
#include <utility>

#include <gmock/gmock.h>

#include "runtime/test_world.h"

namespace berth::runtime {
namespace {

using namespace testing;
using Stream = std::unique_ptr<ports::HttpStream>;

Task<Stream> open(World& world, std::string path) {
  auto stream = co_await world.client->open({"GET", world.url(path)}, world.soon());
  EXPECT_TRUE(stream) << stream.error().message();
  co_return std::move(stream).value();
}

Task<void> two_pieces(World& world, HttpRequest, HttpResponder& responder) {
  EXPECT_TRUE(co_await responder.begin(201, {{"X-Kind", "stream"}}));
  for (const std::string piece : {"one", "", "two"}) {
    co_await world.go_on.wait(std::nullopt, {});
    world.go_on.reset();
    EXPECT_TRUE(co_await responder.write(piece));
    if (piece.empty()) {
      world.go_on.set();
    }
  }
}

Task<void> piece_by_piece(World& world) {
  world.routes.add("/pieces", &two_pieces);
  const Stream stream = co_await open(world, "/pieces");
  EXPECT_EQ(stream->status(), 201);
  EXPECT_EQ(stream->headers().find("x-kind"), "stream");
  const auto early = co_await stream->read({world.loop.mono_now() + 5ms});
  EXPECT_EQ(kind(early), ErrorKind::kTimeout) << "nothing was written yet";
  world.go_on.set();
  EXPECT_EQ(*co_await stream->read(world.soon()), "one") << "a read may follow one that timed out";
  world.go_on.set();
  EXPECT_EQ(*co_await stream->read(world.soon()), "two");
  EXPECT_EQ(*co_await stream->read(world.soon()), "") << "the end";
  EXPECT_EQ(*co_await stream->read(world.soon()), "") << "and it stays the end";
}

TEST(HttpStream, pieces_come_as_they_are_written) { World().play(&piece_by_piece); }

constexpr std::size_t kPiece = 64U << 10U;
constexpr std::size_t kPieces = 1024;  // 64 MiB, far more than the buffers on the way

Task<void> write_much(World& world, HttpRequest, HttpResponder& responder) {
  Result<void> good = co_await responder.begin(200, {});
  for (std::size_t i = 0; good && i < kPieces; ++i) {
    good = co_await responder.write(std::string(kPiece, static_cast<char>('a' + i % 26)));
    world.written += kPiece;
  }
  world.stopped.set();
}

Task<void> slow_reader(World& world) {
  world.routes.add("/much", &write_much);
  const Stream stream = co_await open(world, "/much");
  for (int i = 0; i < 500; ++i) {
    EXPECT_TRUE(co_await world.client->fetch({"GET", world.url("/echo")},
                                             world.soon()));  // the loop is busy meanwhile
  }
  EXPECT_LT(world.written, 16U << 20U) << "the writer waits for the reader";
  std::size_t read = 0;
  std::string piece = *co_await stream->read(world.soon());
  EXPECT_LE(piece.size(), (1U << 20U) + kPiece) << "what is buffered here is bounded";
  while (!piece.empty()) {
    for (std::size_t i = 0; i < piece.size(); i += 4096) {
      const char expected = static_cast<char>('a' + ((read + i) / kPiece) % 26);
      if (piece[i] != expected) {
        ADD_FAILURE() << "wrong byte at " << read + i;
        co_return;
      }
    }
    read += piece.size();
    piece = *co_await stream->read(world.soon());
  }
  EXPECT_EQ(read, kPieces * kPiece);
}

TEST(HttpStream, a_slow_reader_holds_the_writer_back_and_loses_nothing) { World().play(&slow_reader); }

Task<void> gives_up(World& world) {
  world.routes.add("/much", &write_much);
  world.routes.add("/forever", &stream_until_stopped);
  for (const std::string path : {"/much", "/forever"}) {
    world.stopped.reset();
    {
      const Stream stream = co_await open(world, path);
      EXPECT_TRUE(co_await stream->read(world.soon()));
    }
    co_await world.stopped.wait(std::nullopt, {});
    EXPECT_LT(world.written, kPieces * kPiece);
  }
  // A stream that was never read, and one at its end.
  {
    const Stream unread = co_await open(world, "/much");
  }
  const auto reply = co_await world.client->fetch({"GET", world.url("/echo")}, world.soon());
  EXPECT_TRUE(reply);
}

TEST(HttpStream, a_reader_that_gives_up_ends_the_connection_and_the_handler_hears_of_it) {
  World().play(&gives_up);
}

Task<void> cancelled_read(World& world) {
  world.routes.add("/forever", &stream_until_stopped);
  const Stream stream = co_await open(world, "/forever");
  EXPECT_EQ(*co_await stream->read(world.soon()), "piece\n");
  std::stop_source stop;
  world.loop.post([&stop] { stop.request_stop(); });
  for (int i = 0; i < 2; ++i) {
    const auto read = co_await stream->read({world.soon().deadline, stop.get_token()});
    EXPECT_EQ(kind(read), ErrorKind::kCancelled);
  }
}

TEST(HttpStream, a_read_ends_when_asked_to_stop) { World().play(&cancelled_read); }

Task<void> drop_midway(World& world, HttpRequest, HttpResponder& responder) {
  EXPECT_TRUE(co_await responder.begin(200, {}));
  EXPECT_TRUE(co_await responder.write("half"));
  co_await world.go_on.wait(std::nullopt, {});
  responder.drop();
  EXPECT_FALSE(co_await responder.write("never")) << "nothing goes out after a drop";
}

Task<void> broken_stream(World& world) {
  world.routes.add("/half", &drop_midway);
  const Stream stream = co_await open(world, "/half");
  world.go_on.set();
  EXPECT_EQ(*co_await stream->read(world.soon()), "half");
  const auto rest = co_await stream->read(world.soon());
  EXPECT_EQ(kind(rest), ErrorKind::kUnavailable) << "not a clean end";
}

TEST(HttpStream, a_connection_that_breaks_is_told_from_the_end) { World().play(&broken_stream); }

Task<void> no_headers(World& world) {
  world.routes.add("/hang", &hang);
  co_await world.connect();
  const auto stream =
      co_await world.client->open({"GET", world.url("/hang")}, {world.loop.mono_now() + 10ms});
  EXPECT_EQ(kind(stream), ErrorKind::kTimeout);
  co_await world.stopped.wait(std::nullopt, {});
}

TEST(HttpStream, opening_has_a_deadline_of_its_own) { World().play(&no_headers); }

Task<void> closed_server(World& world) {
  world.routes.add("/forever", &stream_until_stopped);
  const Stream stream = co_await open(world, "/forever");
  EXPECT_EQ(*co_await stream->read(world.soon()), "piece\n");
  co_await world.server->close();
  EXPECT_TRUE(world.stopped.is_set()) << "close() waits for the handler";
  EXPECT_EQ(*co_await stream->read(world.soon()), "") << "the body was ended properly";
  world.server.reset();
}

TEST(HttpStream, a_server_that_closes_ends_the_streams_under_way) { World().play(&closed_server); }

}  // namespace
}  // namespace berth::runtime
