// A picture blurred, then its edges: two kernels in a row on one stream, the first one's result never leaves the device.
//
//   image_pipeline [cuda|sim] [in.pgm [out.pgm]]
//
// Without a picture it draws one, and compares the edges with those that the host finds.
#include <algorithm>
#include <cdsl/cdsl.hpp>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

constexpr const char* kProgram = R"(
const smooth: i32[3] = [1, 2, 1];
const slope: i32[3] = [-1, 0, 1];

fn blur(img: u8[H, W]) -> (out: u8[H, W]) {
  out[i, j] = u8((sum[a in 0..3, b in 0..3](smooth[a] * smooth[b] * i32(img.clamp[i + a - 1, j + b - 1])) + 8) / 16);
}

fn sobel(img: u8[H, W]) -> (edges: u8[H, W]) {
  let pixel = i32(img.clamp[i + a - 1, j + b - 1]);
  gx[i in 0..H, j in 0..W] = sum[a, b](smooth[a] * slope[b] * pixel);
  gy[i in 0..H, j in 0..W] = sum[a, b](slope[a] * smooth[b] * pixel);
  edges[i, j] = u8(sqrt(f32(gx[i, j] * gx[i, j] + gy[i, j] * gy[i, j])));
}
)";

struct Picture {
  int height = 0, width = 0;
  std::vector<std::uint8_t> pixels;
  int at(int i, int j) const {
    return pixels[static_cast<std::size_t>(std::clamp(i, 0, height - 1) * width + std::clamp(j, 0, width - 1))];
  }
};

Picture read(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string magic;
  Picture picture;
  int most = 0;
  file >> magic >> picture.width >> picture.height >> most;
  if (!file || magic != "P5" || most != 255) throw std::runtime_error(path + " is no binary PGM of 8 bits without comments");
  file.get();
  picture.pixels.resize(static_cast<std::size_t>(picture.width) * static_cast<std::size_t>(picture.height));
  file.read(reinterpret_cast<char*>(picture.pixels.data()), static_cast<std::streamsize>(picture.pixels.size()));
  if (!file) throw std::runtime_error(path + " ends early");
  return picture;
}

void write(const std::string& path, const Picture& picture) {
  std::ofstream file(path, std::ios::binary);
  file << "P5\n" << picture.width << ' ' << picture.height << "\n255\n";
  file.write(reinterpret_cast<const char*>(picture.pixels.data()), static_cast<std::streamsize>(picture.pixels.size()));
  if (!file) throw std::runtime_error(path + " cannot be written");
}

Picture drawn() {  // a bright disc on a ramp
  Picture picture{61, 83, {}};
  for (int i = 0; i < picture.height; ++i) {
    for (int j = 0; j < picture.width; ++j) {
      const bool inside = (i - 30) * (i - 30) + (j - 40) * (j - 40) < 400;
      picture.pixels.push_back(static_cast<std::uint8_t>(inside ? 230 : j));
    }
  }
  return picture;
}

Picture edges_on_host(const Picture& in) {
  constexpr int smooth[] = {1, 2, 1}, slope[] = {-1, 0, 1};
  Picture soft = in, out = in;
  for (int i = 0; i < in.height; ++i) {
    for (int j = 0; j < in.width; ++j) {
      int sum = 8;
      for (int a = 0; a < 3; ++a)
        for (int b = 0; b < 3; ++b) sum += smooth[a] * smooth[b] * in.at(i + a - 1, j + b - 1);
      soft.pixels[static_cast<std::size_t>(i * in.width + j)] = static_cast<std::uint8_t>(sum / 16);
    }
  }
  for (int i = 0; i < in.height; ++i) {
    for (int j = 0; j < in.width; ++j) {
      int gx = 0, gy = 0;
      for (int a = 0; a < 3; ++a) {
        for (int b = 0; b < 3; ++b) {
          gx += smooth[a] * slope[b] * soft.at(i + a - 1, j + b - 1);
          gy += slope[a] * smooth[b] * soft.at(i + a - 1, j + b - 1);
        }
      }
      out.pixels[static_cast<std::size_t>(i * in.width + j)] =
          static_cast<std::uint8_t>(std::min(std::sqrt(static_cast<float>(gx * gx + gy * gy)), 255.0f));
    }
  }
  return out;
}

}  // namespace

int main(int argc, char** argv) try {
  cdsl::Runtime runtime({argc > 1 ? argv[1] : "cuda", nullptr});
  cdsl::Module module = runtime.parse(kProgram, "image.cdsl");
  cdsl::Kernel blur = module.kernel("blur"), sobel = module.kernel("sobel");

  Picture picture = argc > 2 ? read(argv[2]) : drawn();
  const std::vector<std::int64_t> shape = {picture.height, picture.width};
  cdsl::Buffer in = blur.buffer("img", shape), soft = blur.buffer("out", shape), edges = sobel.buffer("edges", shape);
  in.upload(picture.pixels);
  blur.launch(nullptr, in, soft);
  sobel.launch(nullptr, soft, edges);
  runtime.synchronize();

  const Picture expected = edges_on_host(picture);
  edges.download(picture.pixels);
  if (argc > 3) write(argv[3], picture);
  int wrong = 0;
  for (std::size_t k = 0; k < picture.pixels.size(); ++k) wrong += picture.pixels[k] != expected.pixels[k];
  std::printf("edges of %d x %d pixels: %d wrong\n", picture.height, picture.width, wrong);
  return wrong == 0 ? 0 : 1;
} catch (const cdsl::Error& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return error.status() >= CDSL_ERROR_NO_DRIVER && error.status() <= CDSL_ERROR_NO_NVRTC ? 77 : 1;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
