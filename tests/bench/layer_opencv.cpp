// Functions of OpenCV on UMat, as a program that clgauss did not write: what
// tests/bench/layer_programs.py runs with the layer and without. `layer_opencv COLUMNS ROWS
// REPETITIONS` prints a checksum of each function's answer.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <opencv2/core.hpp>
#include <opencv2/core/ocl.hpp>
#include <opencv2/imgproc.hpp>
#include <string>
#include <utility>
#include <vector>

namespace {

/// FNV-1a of all rows.
std::uint64_t checksum(const cv::UMat& answer) {
  const cv::Mat host = answer.getMat(cv::ACCESS_READ);
  std::uint64_t sum = 14695981039346656037u;
  for (int row = 0; row < host.rows; ++row)
    for (std::size_t at = 0; at < host.cols * host.elemSize(); ++at)
      sum = (sum ^ host.ptr(row)[at]) * 1099511628211u;
  return sum;
}

/// Numbers between 0 and 1000, of no order.
cv::UMat numbers(cv::Size size, unsigned seed) {
  cv::Mat all(size, CV_32F);
  for (int row = 0; row < size.height; ++row)
    for (int column = 0; column < size.width; ++column) {
      seed = seed * 1664525u + 1013904223u;
      all.at<float>(row, column) = static_cast<float>(seed >> 8) / 16777.216f;
    }
  cv::UMat copy;
  all.copyTo(copy);
  return copy;
}

}  // namespace

int main(int count, char** words) {
  if (count != 4) return std::fputs("usage: layer_opencv COLUMNS ROWS REPETITIONS\n", stderr), 2;
  const cv::Size size(std::atoi(words[1]), std::atoi(words[2]));
  const int repetitions = std::atoi(words[3]);
  cv::ocl::setUseOpenCL(true);
  if (!cv::ocl::useOpenCL()) return std::fputs("OpenCV finds no OpenCL device\n", stderr), 1;

  const cv::UMat a = numbers(size, 1), b = numbers(size, 2);
  cv::UMat bytes;
  a.convertTo(bytes, CV_8U, 0.25);
  const cv::Mat turn = cv::getRotationMatrix2D({400, 300}, 30, 0.9);
  using cv::UMat;
  const std::vector<std::pair<std::string, std::function<void(UMat&)>>> all{
      {"add", [&](UMat& y) { cv::add(a, b, y); }},
      {"subtract", [&](UMat& y) { cv::subtract(a, b, y); }},
      {"multiply", [&](UMat& y) { cv::multiply(a, b, y); }},
      {"divide", [&](UMat& y) { cv::divide(a, b, y); }},
      {"absdiff", [&](UMat& y) { cv::absdiff(a, b, y); }},
      {"addWeighted", [&](UMat& y) { cv::addWeighted(a, 0.3, b, 0.7, 1, y); }},
      {"scaleAdd", [&](UMat& y) { cv::scaleAdd(a, 0.5, b, y); }},
      {"min", [&](UMat& y) { cv::min(a, b, y); }},
      {"compare", [&](UMat& y) { cv::compare(a, b, y, cv::CMP_GT); }},
      {"sqrt", [&](UMat& y) { cv::sqrt(a, y); }},
      {"exp", [&](UMat& y) { cv::exp(a, y); }},
      {"pow", [&](UMat& y) { cv::pow(a, 3, y); }},
      {"magnitude", [&](UMat& y) { cv::magnitude(a, b, y); }},
      {"bitwise_not", [&](UMat& y) { cv::bitwise_not(bytes, y); }},
      {"threshold", [&](UMat& y) { cv::threshold(a, y, 500, 255, cv::THRESH_BINARY); }},
      {"convertTo", [&](UMat& y) { a.convertTo(y, CV_16S, 2, 1); }},
      {"transpose", [&](UMat& y) { cv::transpose(a, y); }},
      {"flip", [&](UMat& y) { cv::flip(a, y, -1); }},
      {"blur",
       [&](UMat& y) {
         cv::blur(a, y, {5, 5});
       }},
      {"boxFilter",
       [&](UMat& y) {
         cv::boxFilter(a, y, -1, {3, 3});
       }},
      {"GaussianBlur",
       [&](UMat& y) {
         cv::GaussianBlur(a, y, {7, 7}, 1.5);
       }},
      {"Sobel", [&](UMat& y) { cv::Sobel(a, y, CV_32F, 1, 0); }},
      {"Laplacian", [&](UMat& y) { cv::Laplacian(a, y, CV_32F, 3); }},
      {"medianBlur", [&](UMat& y) { cv::medianBlur(bytes, y, 3); }},
      {"bilateralFilter", [&](UMat& y) { cv::bilateralFilter(bytes, y, 5, 30, 30); }},
      {"erode", [&](UMat& y) { cv::erode(a, y, cv::Mat()); }},
      {"dilate", [&](UMat& y) { cv::dilate(a, y, cv::Mat()); }},
      {"resize", [&](UMat& y) { cv::resize(a, y, {}, 0.5, 0.5, cv::INTER_LINEAR); }},
      {"warpAffine", [&](UMat& y) { cv::warpAffine(a, y, turn, a.size()); }},
      {"pyrDown", [&](UMat& y) { cv::pyrDown(a, y); }},
      {"integral", [&](UMat& y) { cv::integral(bytes, y, CV_32S); }},
      {"matchTemplate",
       [&](UMat& y) { cv::matchTemplate(a, a(cv::Rect(3, 5, 8, 8)), y, cv::TM_SQDIFF); }}};
  for (const auto& [name, function] : all) {
    UMat answer;
    for (int i = 0; i < repetitions; ++i) function(answer);
    std::printf("%s %016llx\n", name.c_str(), static_cast<unsigned long long>(checksum(answer)));
  }
}
